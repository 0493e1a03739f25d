import type { WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { Page } from '../components/page.tsx'
import { RecordNotices } from '../components/record-page.tsx'
import { useNow } from '../components/relative-time.tsx'
import { deadlineOf, fullTime, relativeTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import '../developers/developers.css'
import './delivery-page.css'
import { AttemptSchedule, stepsOf } from './attempt-schedule.tsx'
import { DeliveryActions } from './delivery-actions.tsx'
import { DeliveryAttempts } from './delivery-attempts.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { DeliveryRequest } from './delivery-request.tsx'
import { DeliveryOutcome } from './delivery-table.tsx'
import { readDeliveryFilters } from './webhook-queries.ts'
import { nameOf, WithWebhook, webhooksCrumb } from './with-webhook.tsx'

const route = getRouteApi('/shell/settings/developers/webhooks/$endpointId/deliveries/$deliveryId')

export function DeliveryPage() {
  const { endpointId } = route.useParams()
  return <WithWebhook id={endpointId}>{(endpoint) => <ReadDelivery endpoint={endpoint} />}</WithWebhook>
}

function ReadDelivery({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { deliveryId } = route.useParams()
  // Read once more: the router adds what was dropped of the address again.
  const filters = readDeliveryFilters(route.useSearch())
  const delivery = useQuery(
    query('getWebhookDelivery', { params: { endpointId: endpoint.id, deliveryId } }, { pace: 'watched' }),
  )
  return (
    <Page
      title={`Delivery ${deliveryId}`}
      crumb={webhooksCrumb}
      trail={
        <Link
          className="ellipsis"
          to="/settings/developers/webhooks/$endpointId"
          params={{ endpointId: endpoint.id }}
          search={filters}
        >
          {nameOf(endpoint)}
        </Link>
      }
      hasOwnTitle
      actions={delivery.data && <DeliveryActions endpoint={endpoint} delivery={delivery.data} />}
    >
      <div className="record-beside">
        <DeliveryList endpointId={endpoint.id} filters={filters} openId={deliveryId} />
        <div className="page record">
          <RecordNotices record={delivery} noun="delivery" id={deliveryId} />
          {delivery.data && <LoadedDelivery endpoint={endpoint} delivery={delivery.data} />}
        </div>
      </div>
    </Page>
  )
}

type Parts = { readonly endpoint: WebhookEndpoint; readonly delivery: WebhookDeliveryDetails }

function LoadedDelivery({ endpoint, delivery }: Parts) {
  const now = useNow()
  return (
    <>
      <div className="title-row">
        <h1 tabIndex={-1} className="mono-title breaks">
          {delivery.event}
        </h1>
        <DeliveryOutcome delivery={delivery} />
      </div>
      <p className="secondary">
        <Summary endpoint={endpoint} delivery={delivery} now={now} />
      </p>
      <AttemptSchedule delivery={delivery} now={now} />
      <div className="exchange">
        <DeliveryRequest endpoint={endpoint} delivery={delivery} />
        <DeliveryAttempts delivery={delivery} />
      </div>
    </>
  )
}

function Summary({ endpoint, delivery, now }: Parts & { readonly now: number }) {
  const {
    state,
    attempts_count: count,
    probes_count: probes,
    last_status: status,
    next_attempt_at: next,
    resent_from: from,
  } = delivery
  const again = from !== null && (
    <>
      {' '}
      It repeats{' '}
      <Link
        className="underlined"
        to="/settings/developers/webhooks/$endpointId/deliveries/$deliveryId"
        params={{ endpointId: endpoint.id, deliveryId: from }}
      >
        delivery {from}
      </Link>
      .
    </>
  )
  const answer = status === null ? visibleText(delivery.last_error ?? 'no answer') : `the receiver answered ${status}`
  const probed = probes === 0 ? '' : ` (${probes} of which ahead of the schedule)`
  const attempts = count === 1 ? '1 attempt' : `${count} attempts${probed}`
  if (state === 'delivered')
    return (
      <>
        {`Queued ${fullTime(delivery.queued_at)}; the receiver accepted it after ${attempts}.`}
        {again}
      </>
    )
  if (state === 'failed')
    return (
      <>
        {`Given up after ${attempts}: ${answer}.`}
        {again}
      </>
    )
  const last = stepsOf(delivery).at(-1)
  const first = count === 0 ? `Queued ${fullTime(delivery.queued_at)}.` : `After ${attempts}: ${answer}.`
  return (
    <>
      {first}{' '}
      {next === null
        ? 'The webhook is disabled. The delivery waits until you enable it.'
        : `The next attempt is ${new Date(next).getTime() <= now ? 'due now' : relativeTime(next, now)}; the last is about ${deadlineOf(last?.at ?? next, now)} UTC.`}
      {again}
    </>
  )
}
