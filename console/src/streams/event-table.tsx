import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { Link } from '@tanstack/react-router'
import { Scroller } from '../components/scroller.tsx'
import { Mark, type MarkName, StandingShape } from '../components/state-shape.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
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

function DeliveryState({ event }: { event: SsfStreamEvent }) {
  const isBad = event.state === 'rejected' || event.state === 'expired'
  const status = event.attempts[0]?.status
  const isRetried = event.state === 'pending' && event.attempts_count > 0
  return (
    <span className={isBad ? 'delivery bad' : 'delivery'}>
      <Mark name={isRetried ? 'warning' : marks[event.state]} />
      {isRetried ? 'Retrying' : eventStates[event.state]} {status ?? ''}
    </span>
  )
}

export function EventTable({ rows, filters }: { rows: readonly SsfStreamEvent[]; filters: EventFilters }) {
  return (
    <Scroller name="Events" className="bleed">
      <table className="t bl event-table">
        <thead>
          <tr>
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
            <tr key={event.id} className={filters.event === event.id ? 'sel tall' : 'tall'}>
              <td className="t2 tn">{event.sequence ?? '—'}</td>
              <td className="tn" title={fullTime(event.queued_at)}>
                {clockTime(event.queued_at)}
                <div className="sm t2">{dayOf(event.queued_at, Date.now())}</div>
              </td>
              <td>
                <Link
                  to="."
                  search={{ ...filters, event: event.id }}
                  replace
                  className="m ell"
                  data-row-link
                  aria-current={filters.event === event.id ? 'true' : undefined}
                >
                  {subjectOf(event)}
                </Link>
                <div className="sm t2 ell">
                  {event.subject.device ? `Device ${event.subject.device.identifier}` : eventKinds[event.kind]}
                </div>
              </td>
              <td>
                {event.current_status === 'not-compliant' ? (
                  <span className="state blocked">
                    <StandingShape standing="blocked" />
                    not-compliant
                  </span>
                ) : (
                  (event.current_status ?? <span className="t3">—</span>)
                )}
              </td>
              <td>
                <DeliveryState event={event} />
              </td>
              <td className="num t2">{event.attempts[0] ? `${event.attempts[0].duration_ms} ms` : '—'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
