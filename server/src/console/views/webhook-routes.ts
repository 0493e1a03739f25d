import {
  DeliveryView,
  DeliveryViewFilter,
  RangeCount,
  WebhookResendRange,
  WebhookView,
} from '@muster/contract/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { findDestination } from '../../signals/webhook-ledger/log/find-destination.ts'
import { rangeOf } from '../../signals/webhooks/log/choose-range.ts'
import { presentDelivery } from '../../signals/webhooks/log/present.ts'
import { countResend, listDeliveryViews, readWebhookView } from './webhook-views.ts'

const common = { tag: 'Console', permission: 'manage_webhooks' } as const

/** What the pages of webhooks show beside the records. */
export function webhookViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...common,
    method: 'GET',
    path: '/views/webhooks/:endpointId',
    operationId: 'getWebhookView',
    summary: 'Read how a webhook stands',
    answer: WebhookView,
    run: async ({ db, organizationId, params, now }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      return readWebhookView(db, { organizationId, ...params }, now)
    },
  })

  listEndpoint(scope, {
    ...common,
    path: '/views/webhooks/:endpointId/deliveries',
    operationId: 'listDeliveryViews',
    summary: 'List the deliveries of a webhook with the names of devices, newest first',
    record: DeliveryView,
    options: DeliveryViewFilter,
    exists: async (reader, organizationId, { endpointId }) =>
      (await findDestination(reader, { organizationId, endpointId })) !== undefined,
    list: listDeliveryViews,
    present: (row, links) => ({ ...presentDelivery(row, links), device_name: row.device_name }),
  })

  endpoint(scope, {
    ...common,
    method: 'GET',
    path: '/views/webhooks/:endpointId/resend_count',
    operationId: 'countWebhookResend',
    summary: 'Count what a call for a range would send again',
    query: WebhookResendRange,
    answer: RangeCount,
    run: async ({ db, organizationId, params, query: { from, to, state }, now }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      const range = rangeOf({ from, to, ...(state && { states: [state] }) }, now)
      if (Array.isArray(range)) return fail('invalid', { errors: range })
      return { count: await countResend(db, { organizationId, ...params, ...range }) }
    },
  })
}
