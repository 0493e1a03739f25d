import type { DeliveryView } from '@muster/contract/console-developers.ts'
import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { Link } from '@tanstack/react-router'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
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
  <Records isTall rows={rows} columns={columnsOf(endpointId, filters)} />
)

const columnsOf = (endpointId: string, filters: DeliveryFilters): readonly Column<DeliveryView>[] => [
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
  {
    text: 'Event',
    className: 'c-name',
    cell: (delivery) => (
      <>
        <Link
          to="/settings/developers/webhooks/$endpointId/deliveries/$deliveryId"
          params={{ endpointId, deliveryId: delivery.id }}
          search={filters}
          className="ellipsis"
          data-row-link
        >
          <code>{delivery.event}</code>
        </Link>
        {delivery.resent_from !== null && <div className="small secondary">sent again</div>}
      </>
    ),
  },
  { text: 'Device', className: 'c-sub secondary', cell: (delivery) => <DeviceLink delivery={delivery} /> },
  {
    text: 'Delivery',
    head: 'w-outcome',
    className: 'c-lead',
    title: ({ last_error: error }) => error && visibleText(error),
    cell: (delivery) => <DeliveryOutcome delivery={delivery} />,
  },
  { text: 'Attempts', head: 'numeric w-took', className: 'c-more numeric', cell: ({ attempts_count: count }) => count },
  {
    text: 'Next',
    head: 'numeric w-seen',
    className: 'c-more numeric secondary',
    cell: ({ next_attempt_at: at }) => <RelativeTime time={at} />,
  },
]

function DeviceLink({ delivery }: { readonly delivery: DeliveryView }) {
  const { identifier } = delivery.device
  if (identifier === '') return '—'
  const name = delivery.device_name === null ? `Device ${identifier}` : visibleText(delivery.device_name)
  return (
    <Link className="underlined ellipsis" to="/devices/$deviceId" params={{ deviceId: identifier }} title={name}>
      {name}
    </Link>
  )
}
