import type { WebhookEndpoint } from '@muster/contract/webhook-endpoints.ts'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  refetchInterval: 30_000,
  queryFn: ({ signal }) => request<ListOf<WebhookEndpoint>>('/webhook_endpoints?per_page=100', { signal }),
})
