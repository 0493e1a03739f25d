import type { StreamEventView } from '@muster/contract/console-developers.ts'
import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { Link } from '@tanstack/react-router'
import { type Column, Records } from '../components/records.tsx'
import type { Selection } from '../components/selection.ts'
import { Mark, type MarkName, StandingShape } from '../components/state-shape.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { tookText } from '../developers/took-text.ts'
import { eventKinds, eventStates } from './event-filters.ts'
import type { EventFilters } from './stream-queries.ts'

const marks: Readonly<Record<SsfStreamEvent['state'], MarkName>> = {
  pending: 'clock',
  delivered: 'tick',
  acknowledged: 'tick',
  rejected: 'cross',
  expired: 'cross',
}

export const subjectOf = ({ kind, subject }: SsfStreamEvent): string =>
  kind === 'compliance_change' || kind === 'test' ? visibleText(subject.user_email ?? 'Nobody') : eventKinds[kind]

export function DeliveryState({ event }: { event: SsfStreamEvent }) {
  const isBad = event.state === 'rejected' || event.state === 'expired'
  const status = event.attempts[0]?.status
  const isRetried = event.state === 'pending' && event.attempts_count > 0
  return (
    <span className={isBad ? 'delivery bad' : 'delivery'}>
      <Mark name={isRetried ? 'warning' : marks[event.state]} />
      {event.state === 'pending' ? (isRetried ? 'Retrying' : 'Waiting') : eventStates[event.state]} {status ?? ''}
    </span>
  )
}

type Parts = {
  readonly rows: readonly StreamEventView[]
  readonly filters: EventFilters
  /** The tokens that are chosen for a replay. */
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
}

export const EventTable = ({ rows, filters, selection, onSelect }: Parts) => (
  <Records
    isTall
    rows={rows}
    columns={columnsOf(filters)}
    openId={filters.event}
    choice={{ selection, onSelect, keyOf: ({ jti }) => jti, nameOf: ({ sequence, id }) => `event ${sequence ?? id}` }}
  />
)

const missing = <span className="faint">—</span>

const columnsOf = (filters: EventFilters): readonly Column<StreamEventView>[] => [
  { text: 'No.', head: 'w-number', className: 'c-more secondary tabular', cell: ({ sequence }) => sequence ?? '—' },
  {
    text: 'Time, UTC',
    head: 'w-time',
    className: 'c-time tabular',
    title: ({ queued_at: at }) => fullTime(at),
    cell: ({ queued_at: at }) => (
      <>
        {clockTime(at)}
        <div className="small secondary">{dayOf(at, Date.now())}</div>
      </>
    ),
  },
  { text: 'Event and subject', className: 'c-name', cell: (event) => <Subject event={event} filters={filters} /> },
  {
    text: 'Status',
    head: 'w-status',
    className: 'c-sub',
    cell: ({ current_status: status }) =>
      status === 'not-compliant' ? (
        <span className="state blocked">
          <StandingShape standing="blocked" />
          not-compliant
        </span>
      ) : (
        (status ?? missing)
      ),
  },
  { text: 'Delivery', head: 'w-delivery', className: 'c-lead', cell: (event) => <DeliveryState event={event} /> },
  {
    text: 'Took',
    head: 'numeric w-took',
    className: 'c-more numeric secondary',
    cell: ({ attempts: [latest] }) => (latest ? tookText(latest.duration_ms) : '—'),
  },
]

function Subject({ event, filters }: { readonly event: StreamEventView; readonly filters: EventFilters }) {
  const device = event.device_name ?? (event.subject.device.identifier && `Device ${event.subject.device.identifier}`)
  const second = device ? visibleText(device) : eventKinds[event.kind]
  return (
    <>
      <Link
        to="."
        search={{ ...filters, event: event.id }}
        replace
        className="medium ellipsis"
        title={subjectOf(event)}
        data-row-link
        aria-current={filters.event === event.id ? 'true' : undefined}
      >
        {subjectOf(event)}
      </Link>
      <div className="small secondary ellipsis" title={second}>
        {second}
      </div>
    </>
  )
}
