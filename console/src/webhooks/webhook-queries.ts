import type { WebhookDelivery, WebhookDeliveryDetails } from '@muster/contract/webhook-deliveries.ts'
import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 15_000

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

export type DeliveryFilters = {
  readonly state?: WebhookDelivery['state']
  readonly after?: string
  /** The delivery that is open beside the list. */
  readonly delivery?: string
}

export const deliveryStates: Readonly<Record<WebhookDelivery['state'], string>> = {
  pending: 'Waiting',
  delivered: 'Delivered',
  failed: 'Gave up',
}

/** The filters of an address; what they cannot mean is dropped. */
export function readDeliveryFilters(raw: Readonly<Record<string, unknown>>): DeliveryFilters {
  const state = (Object.keys(deliveryStates) as WebhookDelivery['state'][]).find((name) => name === raw['state'])
  const { after, delivery } = raw
  return {
    ...(state && { state }),
    ...(typeof after === 'string' && after !== '' && { after }),
    ...(typeof delivery === 'string' && /^\d{1,19}$/.test(delivery) && { delivery }),
  }
}

export const deliveriesQuery = (id: string, { state, after }: DeliveryFilters) =>
  queryOptions({
    queryKey: ['webhooks', 'deliveries', id, state, after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, query: state && `state:"${state}"`, cursor: after }
      return request<ListOf<WebhookDelivery>>(withQuery(`/webhook_endpoints/${id}/deliveries`, query), { signal })
    },
  })

export const deliveryQuery = (id: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'delivery', id, deliveryId],
    refetchInterval,
    queryFn: ({ signal }) =>
      request<WebhookDeliveryDetails>(`/webhook_endpoints/${id}/deliveries/${deliveryId}`, { signal }),
  })
