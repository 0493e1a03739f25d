import { Button } from '@mantine/core'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { api, csvAddressOf } from '../api/api.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { Icon } from '../components/icon.tsx'
import { ListView, onlyChip, optionsOf } from '../components/list-view.tsx'
import { Emptiness } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { nothing } from '../components/selection.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import { eventFiltersInWords, eventKinds, eventStates, readEventFilters } from './event-filters.ts'
import { EventPanel } from './event-panel.tsx'
import { EventTable } from './event-table.tsx'
import { StreamActions } from './stream-actions.tsx'
import { StreamHead } from './stream-head.tsx'
import { type EventFilters, streamEventsQuery } from './stream-queries.ts'
import { streamsCrumb, WithStream } from './with-stream.tsx'
import './stream-page.css'

const route = getRouteApi('/shell/settings/developers/streams/$streamId')

export function StreamPage() {
  const { streamId } = route.useParams()
  return <WithStream id={streamId}>{(stream) => <Ledger key={stream.id} stream={stream} />}</WithStream>
}

const stateChips = [
  { field: 'Delivery', name: 'state', options: optionsOf(eventStates) },
  { field: 'Event', name: 'kind', options: optionsOf(eventKinds) },
]

function Ledger({ stream }: { stream: SsfStream }) {
  // Read once more: the router adds what was dropped of the address again.
  const filters = readEventFilters(route.useSearch())
  const navigate = route.useNavigate()
  const [selection, setSelection] = useState(nothing)
  const events = useQuery(streamEventsQuery(stream.id, filters))
  const show = (wanted: EventFilters, isTyping = false) => {
    const { event: _event, ...search } = wanted
    setSelection(nothing)
    void navigate({ search, replace: isTyping })
  }
  const { event: open, ...withoutEvent } = filters
  const chosen = selection.kind === 'some' ? selection.ids : new Set<string>()
  return (
    <Page title={visibleText(stream.name)} crumb={streamsCrumb} hasOwnTitle actions={<StreamActions stream={stream} />}>
      <div className={open === undefined ? 'with-panel' : 'with-panel open'}>
        <div className="panel-main">
          <div className="page log-head">
            <StreamHead stream={stream} />
          </div>
          <ViewBar page="stream_events" />
          <ListView
            list={events}
            name="Events"
            nouns={['event', 'events']}
            filters={filters}
            read={readEventFilters}
            inWords={eventFiltersInWords}
            onShow={show}
            searched="E-mail, device or jti"
            chips={[...stateChips, ...onlyChip('Cause', 'txn', filters.txn, 'the same')]}
            choices={<Export streamId={stream.id} filters={filters} />}
            above={
              chosen.size > 0 && (
                <ChosenRow streamId={stream.id} chosen={chosen} onClear={() => setSelection(nothing)} />
              )
            }
            empty={<Emptiness title="No events yet.">Every change of a device’s compliance appears here.</Emptiness>}
            className="event-table"
          >
            {(rows) => <EventTable rows={rows} filters={filters} selection={selection} onSelect={setSelection} />}
          </ListView>
        </div>
        {open !== undefined && (
          <EventPanel
            streamId={stream.id}
            eventId={open}
            rows={events.data?.data ?? []}
            onShow={(event) => void navigate({ search: { ...filters, event }, replace: true })}
            onClose={() => void navigate({ search: withoutEvent })}
          />
        )}
      </div>
    </Page>
  )
}

const Export = ({ streamId, filters }: { readonly streamId: string; readonly filters: EventFilters }) => (
  <>
    <span className="grow" />
    <ExportCsv
      file={csvAddressOf('listStreamEventViews', {
        params: { streamId },
        query: {
          state: filters.state,
          kind: filters.kind,
          search: filters.q,
          txn: filters.txn,
          around: filters.around,
        },
      })}
      filterInWords={eventFiltersInWords(filters)}
      one="event"
      many="events"
    />
  </>
)

type ChosenParts = { readonly streamId: string; readonly chosen: ReadonlySet<string>; readonly onClear: () => void }

function ChosenRow({ streamId, chosen, onClear }: ChosenParts) {
  const replay = useAction({
    act: () => api('replaySsfStreamEvents', { params: { streamId }, body: { jtis: [...chosen] } }),
    refresh: ['streams'],
    said: ({ replayed_count: count }) =>
      count === 1 ? '1 event is sent again' : `${count} events are sent again; events already waiting keep waiting`,
    onDone: onClear,
  })
  return (
    <div className="bulk">
      <b className="medium">{chosen.size} selected</b>
      <span className="separator" />
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
