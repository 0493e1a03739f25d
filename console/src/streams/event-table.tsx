import type { StreamEventView } from '@muster/contract/console-developers.ts'
import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { Link } from '@tanstack/react-router'
import { Scroller } from '../components/scroller.tsx'
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
  /** The tokens that are chosen for a replay; undefined where nobody may choose. */
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

export function EventTable({ rows, filters, chosen, onChoose }: Parts) {
  const isAll = rows.length > 0 && rows.every(({ jti }) => chosen.has(jti))
  const toggle = (jti: string) => {
    const next = new Set(chosen)
    if (!next.delete(jti)) next.add(jti)
    onChoose(next)
  }
  return (
    <Scroller name="Events" className="bleed">
      <table className="t bl record-table event-table">
        <thead>
          <tr>
            <th className="w-box">
              <input
                type="checkbox"
                aria-label="Choose all on this page"
                checked={isAll}
                onChange={() => onChoose(isAll ? new Set() : new Set(rows.map(({ jti }) => jti)))}
              />
            </th>
            <th className="w-number">No.</th>
            <th className="w-time">Time, UTC</th>
            <th>Event and subject</th>
            <th className="w-status">Status</th>
            <th className="w-delivery">Delivery</th>
            <th className="num w-took">Took</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((event) => (
            <EventRow
              key={event.id}
              event={event}
              filters={filters}
              isChosen={chosen.has(event.jti)}
              onToggle={() => toggle(event.jti)}
            />
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

type RowParts = {
  readonly event: StreamEventView
  readonly filters: EventFilters
  readonly isChosen: boolean
  readonly onToggle: () => void
}

function EventRow({ event, filters, isChosen, onToggle }: RowParts) {
  const isOpen = filters.event === event.id
  const device = event.device_name ?? (event.subject.device.identifier && `Device ${event.subject.device.identifier}`)
  const second = device ? visibleText(device) : eventKinds[event.kind]
  return (
    <tr className={isOpen || isChosen ? 'sel tall' : 'tall'}>
      <td className="c-more w-box">
        <input
          type="checkbox"
          aria-label={`Choose event ${event.sequence ?? event.id}`}
          checked={isChosen}
          onChange={onToggle}
        />
      </td>
      <td className="c-more t2 tn">{event.sequence ?? '—'}</td>
      <td className="c-time tn" title={fullTime(event.queued_at)}>
        {clockTime(event.queued_at)}
        <div className="sm t2">{dayOf(event.queued_at, Date.now())}</div>
      </td>
      <td className="c-name">
        <Link
          to="."
          search={{ ...filters, event: event.id }}
          replace
          className="m ell"
          title={subjectOf(event)}
          data-row-link
          aria-current={isOpen ? 'true' : undefined}
        >
          {subjectOf(event)}
        </Link>
        <div className="sm t2 ell" title={second}>
          {second}
        </div>
      </td>
      <td className="c-sub">
        {event.current_status === 'not-compliant' ? (
          <span className="state blocked">
            <StandingShape standing="blocked" />
            not-compliant
          </span>
        ) : (
          (event.current_status ?? <span className="t3">—</span>)
        )}
      </td>
      <td className="c-lead">
        <DeliveryState event={event} />
      </td>
      <td className="c-more num t2">{event.attempts[0] ? tookText(event.attempts[0].duration_ms) : '—'}</td>
    </tr>
  )
}
