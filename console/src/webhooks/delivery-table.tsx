import type { DeliveryView } from '@muster/contract/console-developers.ts'
import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { Mark, type MarkName } from '../components/state-shape.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import type { DeliveryFilters } from './webhook-queries.ts'

const isTried = ({ state, attempts_count: count }: WebhookDelivery): boolean => state === 'pending' && count > 0

export function markOf(delivery: WebhookDelivery): MarkName {
  if (delivery.state === 'failed') return 'cross'
  if (delivery.state === 'delivered') return 'tick'
  return isTried(delivery) ? 'warning' : 'clock'
}

/** Attempts that a message has before it is given up. */
const maxAttempts = 10

function outcomeOf(delivery: WebhookDelivery): string {
  const { state, attempts_count: count, probes_count: probes } = delivery
  if (state === 'delivered') return 'Delivered'
  if (state === 'failed') return 'Gave up'
  return isTried(delivery) ? `${count - probes} of ${maxAttempts} attempts failed` : 'Waiting'
}

export const DeliveryOutcome = ({ delivery }: { delivery: WebhookDelivery }) => (
  <span className={delivery.state === 'failed' ? 'delivery bad' : 'delivery'}>
    <Mark name={markOf(delivery)} />
    {outcomeOf(delivery)} {isTried(delivery) ? '' : (delivery.last_status ?? '')}
  </span>
)

type Parts = { readonly endpointId: string; readonly rows: readonly DeliveryView[]; readonly filters: DeliveryFilters }

export const DeliveryTable = ({ endpointId, rows, filters }: Parts) => (
  <Scroller name="Deliveries" className="bleed">
    <table className="t bl record-table">
      <thead>
        <tr>
          <th className="w-time">Time, UTC</th>
          <th>Event</th>
          <th>Device</th>
          <th className="w-outcome">Delivery</th>
          <th className="num w-took">Attempts</th>
          <th className="num w-seen">Next</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((delivery) => (
          <DeliveryRow key={delivery.id} endpointId={endpointId} delivery={delivery} filters={filters} />
        ))}
      </tbody>
    </table>
  </Scroller>
)

type RowParts = {
  readonly endpointId: string
  readonly delivery: DeliveryView
  readonly filters: DeliveryFilters
}

function DeliveryRow({ endpointId, delivery, filters }: RowParts) {
  const { identifier } = delivery.device
  const device = delivery.device_name === null ? `Device ${identifier}` : visibleText(delivery.device_name)
  return (
    <tr className="tall">
      <td className="c-time tn" title={fullTime(delivery.queued_at)}>
        {clockTime(delivery.queued_at)}
        <div className="sm t2">{dayOf(delivery.queued_at, Date.now())}</div>
      </td>
      <td className="c-name">
        <Link
          to="/settings/developers/webhooks/$endpointId/deliveries/$deliveryId"
          params={{ endpointId, deliveryId: delivery.id }}
          search={filters}
          className="ell"
          data-row-link
        >
          <code>{delivery.event}</code>
        </Link>
        {delivery.resent_from !== null && <div className="sm t2">sent again</div>}
      </td>
      <td className="c-sub t2">
        {identifier === '' ? (
          '—'
        ) : (
          <Link className="u ell" to="/devices/$deviceId" params={{ deviceId: identifier }} title={device}>
            {device}
          </Link>
        )}
      </td>
      <td className="c-lead" title={delivery.last_error === null ? undefined : visibleText(delivery.last_error)}>
        <DeliveryOutcome delivery={delivery} />
      </td>
      <td className="c-more num">{delivery.attempts_count}</td>
      <td className="c-more num t2">
        <RelativeTime time={delivery.next_attempt_at} />
      </td>
    </tr>
  )
}
