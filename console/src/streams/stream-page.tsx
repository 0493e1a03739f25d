import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyButton } from '../components/copy-button.tsx'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Health } from '../components/health.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { eventKinds, eventStates, readEventFilters } from './event-filters.ts'
import { EventPanel } from './event-panel.tsx'
import { EventTable } from './event-table.tsx'
import { type EventFilters, streamEventsQuery, streamQuery } from './stream-queries.ts'

const route = getRouteApi('/shell/settings/developers/streams/$streamId')
const crumb = { to: '/settings/developers/streams', text: 'Shared Signals' } as const

export function StreamPage() {
  const { streamId } = route.useParams()
  const stream = useQuery(streamQuery(streamId))
  if (stream.data) return <LoadedStream stream={stream.data} />
  return (
    <Page title="Stream" crumb={crumb}>
      <div className="page">
        {stream.isError && (
          <Failure what="The stream could not be loaded." error={stream.error} onRetry={() => void stream.refetch()} />
        )}
        {stream.isPending && <SkeletonRows rows={4} />}
      </div>
    </Page>
  )
}

const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, text]) => ({ value, text }))

function LoadedStream({ stream }: { stream: SsfStream }) {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const events = useQuery(streamEventsQuery(stream.id, filters))
  const rows = events.data?.data ?? []
  const show = (wanted: EventFilters) => void navigate({ search: wanted })
  const filterBy = (field: 'state' | 'kind', [value]: readonly string[]) => {
    const { [field]: _was, after: _after, event: _event, ...others } = filters
    show({ ...others, ...readEventFilters({ [field]: value }) })
  }
  const { event: open, ...withoutEvent } = filters
  const url = stream.delivery.endpoint_url
  return (
    <Page title={visibleText(stream.name)} crumb={crumb} hasOwnTitle>
      <div className={open === undefined ? 'with-panel' : 'with-panel open'}>
        <div className="panel-main">
          <div className="page log-head">
            <div className="title-row">
              <h1 tabIndex={-1}>{visibleText(stream.name)}</h1>
              <Health state={stream.health.state} />
              <span className="tag">{stream.delivery_type === 'push' ? 'Push' : 'Poll'}</span>
              <span className="tag">{stream.spec_version}</span>
            </div>
            <p className="row">
              <code className="ell">{url}</code>
              <CopyButton text={url} label="the address" />
            </p>
            {stream.health.last_error !== null && <p className="bad">{visibleText(stream.health.last_error)}</p>}
          </div>
          <search className="filterbar">
            <FilterChip
              field="Delivery"
              isSingle
              options={optionsOf(eventStates)}
              chosen={filters.state ? [filters.state] : []}
              onChange={(values) => filterBy('state', values)}
            />
            <FilterChip
              field="Event"
              isSingle
              options={optionsOf(eventKinds)}
              chosen={filters.kind ? [filters.kind] : []}
              onChange={(values) => filterBy('kind', values)}
            />
          </search>
          {events.isError && (
            <div className="page">
              <Failure what="Events could not be loaded." error={events.error} onRetry={() => void events.refetch()} />
            </div>
          )}
          {events.isPending && <SkeletonRows rows={8} />}
          {events.data && rows.length === 0 && (
            <div className="page">
              <Emptiness title={filters.state || filters.kind ? 'No event matches.' : 'No event yet.'}>
                {filters.state || filters.kind ? '' : 'Every change of a device’s compliance appears here.'}
              </Emptiness>
            </div>
          )}
          {rows.length > 0 && <EventTable rows={rows} filters={filters} />}
          {events.data && (
            <CursorPaging
              current={filters.after ?? ''}
              next={events.data.pagination.next_cursor}
              shown={rows.length}
              onNext={(after) => show({ ...withoutEvent, after })}
            />
          )}
        </div>
        {open !== undefined && <EventPanel streamId={stream.id} eventId={open} onClose={() => show(withoutEvent)} />}
      </div>
    </Page>
  )
}
