import type { DeliveryView, RangeCount, WebhookView } from '@muster/contract/console-developers.ts'
import type { WebhookDelivery, WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { type WebhookEvent, webhookEvents } from '@muster/contract/webhook-event-summaries.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, keysOf, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'
import type { SentRange } from '../developers/range-dialog.tsx'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 15_000
/** Of what someone watches happen; nothing is asked while the tab is hidden. */
const liveInterval = 5_000

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  refetchInterval,
  queryFn: ({ signal }) => request<ListOf<WebhookEndpoint>>('/webhook_endpoints?per_page=100', { signal }),
})

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<WebhookEndpoint>(`/webhook_endpoints/${id}`, { signal }),
  })

export const webhookViewQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'view', id],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => request<WebhookView>(`/views/webhooks/${id}`, { signal }),
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
      return request<ListOf<DeliveryView>>(withQuery(`/views/webhooks/${id}/deliveries`, query), { signal })
    },
  })

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'delivery', id, deliveryId],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) =>
      request<WebhookDeliveryDetails>(`/webhook_endpoints/${id}/deliveries/${deliveryId}`, { signal }),
  })

export const resendCountQuery = (id: string, range: SentRange) =>
  queryOptions({
    queryKey: ['webhooks', 'resend-count', id, range],
    queryFn: ({ signal }) => request<RangeCount>(withQuery(`/views/webhooks/${id}/resend_count`, range), { signal }),
  })
