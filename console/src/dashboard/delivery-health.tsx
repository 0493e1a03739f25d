import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/session.ts'
import { Failure } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { streamsQuery } from '../streams/stream-queries.ts'
import { webhooksQuery } from '../webhooks/webhook-queries.ts'

type Line = { key: string; name: string; kind: string; state: string; error: string | null; last: string | null }

const marks: Readonly<Record<string, readonly [MarkName, string]>> = {
  ok: ['tick', 'healthy'],
  failing: ['cross', 'failing'],
  stopped: ['dash', 'off'],
  no_poll_token: ['warning', 'nobody can poll'],
}

const maxShown = 8
const isTroubled = ({ state }: Line) => state === 'failing' || state === 'no_poll_token'

/** What needs someone is not hidden by what is in order. */
const byTrouble = (one: Line, other: Line): number => Number(isTroubled(other)) - Number(isTroubled(one))

/** Whether the receivers of streams and webhooks get what they should. */
export function DeliveryHealth() {
  const mayStreams = useMay('manage_ssf_streams')
  const mayWebhooks = useMay('manage_webhooks')
  const streams = useQuery({ ...streamsQuery(undefined), enabled: mayStreams })
  const webhooks = useQuery({ ...webhooksQuery, enabled: mayWebhooks })
  const lines: readonly Line[] = [
    ...(streams.data?.data ?? []).map(({ id, name, delivery_type, health }) => ({
      ...{ key: `s${id}`, name, kind: delivery_type === 'push' ? 'Push' : 'Poll' },
      ...{ state: health.state, error: health.last_error, last: health.last_delivered_at },
    })),
    ...(webhooks.data?.data ?? []).map(({ id, url, description, health }) => ({
      ...{ key: `w${id}`, name: description ?? new URL(url).host, kind: 'Webhook' },
      ...{ state: health.state, error: health.last_error, last: health.last_delivered_at },
    })),
  ]
  if (!mayStreams && !mayWebhooks) return null
  const failed = streams.error ?? webhooks.error
  const areKnown = (streams.data || !mayStreams) && (webhooks.data || !mayWebhooks)
  return (
    <section aria-labelledby="delivery">
      <div className="section-head">
        <h2 id="delivery">Delivery</h2>
        <span className="small faint">latest accepted</span>
      </div>
      {failed && (
        <Failure
          what="Streams and webhooks could not be loaded."
          error={failed}
          onRetry={() => {
            for (const query of [streams, webhooks]) if (query.isError) void query.refetch()
          }}
        />
      )}
      {!failed && areKnown && lines.length === 0 && (
        <p className="secondary">No streams or webhooks yet, so nothing outside Muster hears about changes.</p>
      )}
      <ul className="lines">
        {lines
          .toSorted(byTrouble)
          .slice(0, maxShown)
          .map(({ key, name, kind, state, error, last }) => {
            const [mark, word] = marks[state] ?? ['question', state]
            return (
              <li key={key} className="line" title={error ?? undefined}>
                <Mark name={mark} />
                <span className="medium ellipsis grow">{visibleText(name)}</span>
                <span className="secondary line-kind">{kind}</span>
                <span className={state === 'failing' ? 'line-state bad' : 'line-state secondary'}>{word}</span>
                <span className="secondary tabular line-time">
                  <RelativeTime time={last} />
                </span>
              </li>
            )
          })}
      </ul>
      {lines.length > maxShown && <p className="small secondary">and {lines.length - maxShown} more</p>}
    </section>
  )
}
