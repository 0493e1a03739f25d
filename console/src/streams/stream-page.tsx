import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { addressOf, api } from '../api/api.ts'
import { useAction } from '../api/use-action.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { ExportCsv } from '../components/export-csv.tsx'
import { FilterChip } from '../components/filter-chip.tsx'
import { Icon } from '../components/icon.tsx'
import { optionsOf } from '../components/list-view.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import '../developers/developers.css'
import { eventFiltersInWords, eventKinds, eventStates, readEventFilters } from './event-filters.ts'
import { EventPanel } from './event-panel.tsx'
import { EventTable } from './event-table.tsx'
import { StreamActions } from './stream-actions.tsx'
import { StreamHead } from './stream-head.tsx'
import { type EventFilters, streamEventsQuery } from './stream-queries.ts'
import { streamsCrumb, WithStream } from './with-stream.tsx'

const route = getRouteApi('/shell/settings/developers/streams/$streamId')

export function StreamPage() {
  const { streamId } = route.useParams()
  return <WithStream id={streamId}>{(stream) => <Ledger key={stream.id} stream={stream} />}</WithStream>
}

function Ledger({ stream }: { stream: SsfStream }) {
  // Read once more: the router adds what was dropped of the address again.
  const filters = readEventFilters(route.useSearch())
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const events = useQuery(streamEventsQuery(stream.id, filters))
  const rows = events.data?.data ?? []
  const show = (wanted: EventFilters, isTyping = false) => {
    setChosen(new Set())
    void navigate({ search: wanted, replace: isTyping })
  }
  const { event: open, ...withoutEvent } = filters
  const words = eventFiltersInWords(filters)
  return (
    <Page title={visibleText(stream.name)} crumb={streamsCrumb} hasOwnTitle actions={<StreamActions stream={stream} />}>
      <div className={open === undefined ? 'with-panel' : 'with-panel open'}>
        <div className="panel-main">
          <div className="page log-head">
            <StreamHead stream={stream} />
          </div>
          <ViewBar page="stream_events" />
          <EventFilterBar streamId={stream.id} filters={filters} onChange={show} />
          {chosen.size > 0 && <ChosenRow streamId={stream.id} chosen={chosen} onClear={() => setChosen(new Set())} />}
          {events.isError && (
            <div className="page">
              <Failure what="Events could not be loaded." error={events.error} onRetry={() => void events.refetch()} />
            </div>
          )}
          {events.isPending && <SkeletonRows rows={8} />}
          {events.data && rows.length === 0 && (
            <div className="page">
              <Emptiness
                title={words === '' ? 'No events yet.' : 'No events match.'}
                action={words !== '' && <Button onClick={() => show({})}>Clear filters</Button>}
              >
                {words === '' ? 'Every change of a device’s compliance appears here.' : words}
              </Emptiness>
            </div>
          )}
          {rows.length > 0 && <EventTable rows={rows} filters={filters} chosen={chosen} onChoose={setChosen} />}
          {events.data && (
            <CursorPaging
              current={filters.after ?? ''}
              next={events.data.pagination.next_cursor}
              shown={rows.length}
              onNext={(after) => show({ ...withoutEvent, after })}
            />
          )}
        </div>
        {open !== undefined && (
          <EventPanel
            streamId={stream.id}
            eventId={open}
            rows={rows}
            onShow={(event) => void navigate({ search: { ...filters, event }, replace: true })}
            onClose={() => void navigate({ search: withoutEvent })}
          />
        )}
      </div>
    </Page>
  )
}

type BarParts = {
  readonly streamId: string
  readonly filters: EventFilters
  readonly onChange: (filters: EventFilters, isTyping?: boolean) => void
}

function EventFilterBar({ streamId, filters, onChange }: BarParts) {
  const { after: _after, event: _event, ...kept } = filters
  const filterBy = (field: 'state' | 'kind' | 'q', value: string | undefined): EventFilters => {
    const { [field]: _was, ...others } = kept
    return readEventFilters({ ...others, [field]: value })
  }
  const { txn, around, ...withoutCause } = kept
  return (
    <search className="filterbar">
      <SearchBox
        value={filters.q ?? ''}
        placeholder="E-mail, device or jti"
        onChange={(text) => onChange(filterBy('q', text), true)}
      />
      <FilterChip
        field="Delivery"
        isSingle
        options={optionsOf(eventStates)}
        chosen={filters.state ? [filters.state] : []}
        onChange={([value]) => onChange(filterBy('state', value))}
      />
      <FilterChip
        field="Event"
        isSingle
        options={optionsOf(eventKinds)}
        chosen={filters.kind ? [filters.kind] : []}
        onChange={([value]) => onChange(filterBy('kind', value))}
      />
      {txn !== undefined && (
        <FilterChip
          field="Cause"
          isSingle
          options={[{ value: txn, text: 'the same' }]}
          chosen={[txn]}
          onChange={() => onChange(withoutCause)}
        />
      )}
      <span className="grow" />
      <ExportCsv
        file={addressOf('exportStreamEvents', {
          params: { streamId },
          query: { state: filters.state, kind: filters.kind, search: filters.q, txn, around },
        })}
        filterInWords={eventFiltersInWords(filters)}
        one="event"
        many="events"
      />
    </search>
  )
}

type ChosenParts = { readonly streamId: string; readonly chosen: ReadonlySet<string>; readonly onClear: () => void }

function ChosenRow({ streamId, chosen, onClear }: ChosenParts) {
  const replay = useAction({
    act: () => api('replaySsfStreamEvents', { params: { streamId }, body: { jtis: [...chosen] } }),
    refresh: [['streams']],
    said: ({ replayed_count: count }) =>
      count === 1 ? '1 event is sent again' : `${count} events are sent again; events already waiting keep waiting`,
    onDone: onClear,
  })
  return (
    <div className="bulk">
      <b className="m">{chosen.size} selected</b>
      <span className="sepv" />
      <Button leftSection={<Icon name="send" size={14} />} loading={replay.isPending} onClick={() => replay.mutate()}>
        {chosen.size === 1 ? 'Replay 1 event' : `Replay ${chosen.size} events`}
      </Button>
      <span className="grow" />
      <button type="button" className="plain" onClick={onClear}>
        Clear
      </button>
    </div>
  )
}
