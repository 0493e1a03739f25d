import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { Link } from '@tanstack/react-router'
import { Scroller } from '../components/scroller.tsx'
import { Mark } from '../components/state-shape.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { type DeliveryFilters, deliveryStates } from './webhook-queries.ts'

export function DeliveryOutcome({ delivery }: { delivery: WebhookDelivery }) {
  const isTried = delivery.state === 'pending' && delivery.attempts_count > 0
  const mark =
    delivery.state === 'failed' ? 'cross' : delivery.state === 'delivered' ? 'tick' : isTried ? 'warning' : 'clock'
  return (
    <span className={delivery.state === 'failed' ? 'delivery bad' : 'delivery'}>
      <Mark name={mark} />
      {isTried ? `${delivery.attempts_count} attempts failed` : deliveryStates[delivery.state]}{' '}
      {delivery.last_status ?? ''}
    </span>
  )
}

export function DeliveryTable({ rows, filters }: { rows: readonly WebhookDelivery[]; filters: DeliveryFilters }) {
  return (
    <Scroller name="Deliveries" className="bleed">
      <table className="t bl event-table">
        <thead>
          <tr>
            <th className="w-time">Time, UTC</th>
            <th>Event</th>
            <th className="w-health">Device</th>
            <th className="w-outcome">Delivery</th>
            <th className="num w-took">Attempts</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((delivery) => (
            <tr key={delivery.id} className={filters.delivery === delivery.id ? 'sel tall' : 'tall'}>
              <td className="tn" title={fullTime(delivery.queued_at)}>
                {clockTime(delivery.queued_at)}
                <div className="sm t2">{dayOf(delivery.queued_at, Date.now())}</div>
              </td>
              <td>
                <Link
                  to="."
                  search={{ ...filters, delivery: delivery.id }}
                  replace
                  className="ell"
                  data-row-link
                  aria-current={filters.delivery === delivery.id ? 'true' : undefined}
                >
                  <code>{delivery.event}</code>
                </Link>
                {delivery.resent_from !== null && <div className="sm t2">sent again</div>}
              </td>
              <td className="t2">
                {delivery.device ? (
                  <Link className="u" to="/devices/$deviceId" params={{ deviceId: delivery.device.identifier }}>
                    Device {delivery.device.identifier}
                  </Link>
                ) : (
                  '—'
                )}
              </td>
              <td>
                <DeliveryOutcome delivery={delivery} />
              </td>
              <td className="num">{delivery.attempts_count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
