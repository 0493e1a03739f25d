import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { type WebhookEvent, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { query } from '../api/query.ts'
import { given, keysOf, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'
import type { SentRange } from '../developers/range-dialog.tsx'

export const webhooksQuery = query('listWebhookEndpoints', { query: { per_page: 100 } }, { pace: 'soon' })

export const webhookQuery = (endpointId: string) =>
  query('getWebhookEndpoint', { params: { endpointId } }, { pace: 'soon' })

export const webhookViewQuery = (endpointId: string) =>
  query('getWebhookView', { params: { endpointId } }, { pace: 'watched' })

export type DeliveryFilters = {
  readonly state?: WebhookDelivery['state']
  readonly kind?: WebhookEvent
  readonly q?: string
  readonly after?: string
}

export const deliveryStates: Readonly<Record<WebhookDelivery['state'], string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Gave up',
}

/** The filters of an address; what they cannot mean is dropped. */
export const readDeliveryFilters = (raw: Readonly<Record<string, unknown>>): DeliveryFilters =>
  given({
    state: readChoice(raw, 'state', keysOf(deliveryStates)),
    kind: readChoice(raw, 'kind', webhookEvents),
    q: readText(raw, 'q'),
    ...readAfter(raw),
  })

/** The filters in words, for when nothing is found. */
export const deliveryFiltersInWords = ({ state, kind, q }: DeliveryFilters): string =>
  sentenceOf([kind && `the event is ${kind}`, state && `it is “${deliveryStates[state]}”`, q && `text contains “${q}”`])

export const deliveriesQuery = (endpointId: string, { state, kind, q, after }: DeliveryFilters) =>
  query(
    'listDeliveryViews',
    { params: { endpointId }, query: { per_page: 50, state, event: kind, search: q, cursor: after } },
    { pace: 'watched' },
  )

export type ResendRange = SentRange<'delivered' | 'failed'>
