import type { WebhookDelivery } from '@muster/contract/webhook-deliveries.ts'
import { type WebhookEvent, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { given, keysOf, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'
import type { SentRange } from '../developers/range-dialog.tsx'

const refetchInterval = 15_000
/** Of what someone watches happen; nothing is asked while the tab is hidden. */
const liveInterval = 5_000

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  refetchInterval,
  queryFn: ({ signal }) => api('listWebhookEndpoints', { query: { per_page: 100 }, signal }),
})

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getWebhookEndpoint', { params: { endpointId: id }, signal }),
  })

export const webhookViewQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'view', id],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => api('getWebhookView', { params: { endpointId: id }, signal }),
  })

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

export const deliveriesQuery = (id: string, { state, kind, q, after }: DeliveryFilters) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id, { state, kind, q, after }],
    placeholderData: keepPreviousData,
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, state, event: kind, search: q, cursor: after }
      return api('listDeliveryViews', { params: { endpointId: id }, query, signal })
    },
  })

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'delivery', id, deliveryId],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => api('getWebhookDelivery', { params: { endpointId: id, deliveryId }, signal }),
  })

export type ResendRange = SentRange<'delivered' | 'failed'>

export const resendCountQuery = (id: string, range: ResendRange) =>
  queryOptions({
    queryKey: ['webhooks', 'resend-count', id, range],
    queryFn: ({ signal }) => api('countWebhookResend', { params: { endpointId: id }, query: range, signal }),
  })
