import type { StreamView } from '@muster/contract/console-developers.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CopyButton } from '../components/copy-button.tsx'
import { Health } from '../components/health.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { asTab, Tabs } from '../components/tabs.tsx'
import { deadlineOf } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { countText, pendingText } from '../developers/count-text.ts'
import { streamViewQuery } from './stream-queries.ts'

/** What every page of a stream begins with. */
export function StreamHead({ stream }: { stream: SsfStream }) {
  const query = useQuery(streamViewQuery(stream.id))
  const view = query.data
  const url = stream.delivery.endpoint_url
  const { failing_since: since, last_error: error } = stream.health
  return (
    <>
      <div className="title-row">
        <h1 tabIndex={-1} className="breaks">
          {visibleText(stream.name)}
        </h1>
        {view && view.status !== 'enabled' ? (
          <span className="pill idle">{view.status === 'paused' ? 'Paused' : 'Disabled'}</span>
        ) : (
          <Health state={stream.health.state} />
        )}
        <span className="tag">{stream.delivery_type === 'push' ? 'Push' : 'Poll'}</span>
        <span className="tag">{stream.spec_version}</span>
      </div>
      <p className="row">
        <code className="ellipsis" title={url}>
          {url}
        </code>
        <CopyButton text={url} label="the address" />
      </p>
      {view && view.status !== 'enabled' && <p className="secondary">{standingOf(view)}</p>}
      {since !== null && (
        <p className="bad">
          Not accepting events since {deadlineOf(since, Date.now())} UTC: {visibleText(error ?? '')}
        </p>
      )}
      {stream.health.state === 'no_poll_token' && (
        <p className="note will">
          <span className="grow">No active poll token: polling is refused until you create one.</span>
          <Link
            className="underlined"
            to="/settings/developers/streams/$streamId/keys"
            params={{ streamId: stream.id }}
          >
            Keys
          </Link>
        </p>
      )}
      <LoadFailure what="Stream figures" query={query} />
      {view && <Figures stream={stream} view={view} />}
      <StreamTabs id={stream.id} />
    </>
  )
}

function standingOf({ status, reason }: StreamView): string {
  const what =
    status === 'paused'
      ? 'Events are kept, and sent in order when you enable it'
      : 'Events in the meantime are not queued'
  return reason === null ? `${what}.` : `${visibleText(reason)}. ${what}.`
}

const Figures = ({ stream, view }: { stream: SsfStream; view: StreamView }) => (
  <dl className="fact-row">
    <div>
      <dt>{stream.delivery_type === 'push' ? 'Accepted, 24 h' : 'Acknowledged, 24 h'}</dt>
      <dd>{countText(view.accepted_today)}</dd>
    </div>
    <div>
      <dt>Waiting</dt>
      <dd>{pendingText(view, 'waiting')}</dd>
    </div>
    {stream.delivery_type === 'push' && (
      <div>
        <dt>Retrying</dt>
        <dd>{pendingText(view, 'retrying')}</dd>
      </div>
    )}
    <div>
      <dt>Rejected, 24 h</dt>
      <dd className={view.rejected_today > 0 ? 'bad' : ''}>{countText(view.rejected_today)}</dd>
    </div>
    {view.median_ms !== null && (
      <div>
        <dt>Median / p99</dt>
        <dd>
          {view.median_ms} ms <span className="secondary">/ {view.p99_ms ?? '—'} ms</span>
        </dd>
      </div>
    )}
    <div>
      <dt>{stream.delivery_type === 'push' ? 'Last accepted' : 'Last acknowledged'}</dt>
      <dd>
        <RelativeTime time={stream.health.last_delivered_at} missing="never" />
      </dd>
    </div>
  </dl>
)

const StreamTabs = ({ id }: { id: string }) => (
  <Tabs label="Stream">
    <Link {...asTab} to="/settings/developers/streams/$streamId" params={{ streamId: id }}>
      Events
    </Link>
    <Link {...asTab} to="/settings/developers/streams/$streamId/settings" params={{ streamId: id }}>
      Settings
    </Link>
    <Link {...asTab} to="/settings/developers/streams/$streamId/keys" params={{ streamId: id }}>
      Keys
    </Link>
    <Link {...asTab} to="/settings/developers/streams/$streamId/audit" params={{ streamId: id }}>
      Audit
    </Link>
  </Tabs>
)
