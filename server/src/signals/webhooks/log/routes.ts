import {
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookResend,
  WebhookResendRequest,
  WebhookTestRequest,
  webhookDeliverySearch,
} from '@muster/contract/webhook-deliveries.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../../base/db/transact.ts'
import { fail, orNotFound } from '../../../base/errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listEndpoint } from '../../../http/list-endpoint.ts'
import { findDestination } from '../../webhook-ledger/log/find-destination.ts'
import { findDelivery, listDeliveries } from '../../webhook-ledger/log/queries.ts'
import { rangeOf } from './choose-range.ts'
import { presentDelivery, presentDeliveryDetails } from './present.ts'
import { resendDelivery, resendRange } from './resend-deliveries.ts'
import { sendTest } from './send-test.ts'

const common = { tag: 'Webhooks', permission: 'manage_webhooks' } as const

/** The delivery log of endpoints, and what is sent by hand. */
export function webhookLogRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...common,
    path: '/webhook_endpoints/:endpointId/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of an endpoint, newest first',
    description:
      'An extension. The delivery log: every message that was queued for the endpoint, and what became of it. Entries are kept for 180 days after they are settled.',
    record: WebhookDelivery,
    search: webhookDeliverySearch,
    order: 'descending',
    exists: async (reader, organizationId, { endpointId }) =>
      (await findDestination(reader, { organizationId, endpointId })) !== undefined,
    list: listDeliveries,
    present: presentDelivery,
  })

  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/webhook_endpoints/:endpointId/deliveries/:deliveryId',
    operationId: 'getWebhookDelivery',
    summary: 'Read a delivery',
    description:
      'An extension. An entry of the delivery log with the body that is sent, and the latest 100 attempts: what was sent, what was answered and how long its parts took.',
    answer: WebhookDeliveryDetails,
    run: async ({ db, organizationId, params, links }) =>
      presentDeliveryDetails(orNotFound(await findDelivery(db, { organizationId, ...params })), links),
  })

  addTest(app)
  addResend(app)
  addResendRange(app)
}

function addTest(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints/:endpointId/test',
    operationId: 'testWebhookEndpoint',
    summary: 'Send a test event',
    description:
      'An extension. Queues `webhook.test`, or an example of another event, for this endpoint alone, whatever events it chose, and answers the delivery: read it again to see what became of it. Examples have made-up values, and are told by nothing but these: `Ana’s MacBook` with the identifier 1042.',
    body: WebhookTestRequest,
    answer: WebhookDeliveryDetails,
    run: async ({ db, organizationId, params, body, actor, now, links }) => {
      const { message, event } = body
      const test = { organizationId, ...params, message, event, actor, now }
      const deliveryId = await transact(db, (tx) => sendTest(tx, test))
      return presentDeliveryDetails(
        orNotFound(await findDelivery(db, { organizationId, ...params, deliveryId })),
        links,
      )
    },
  })
}

function addResend(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints/:endpointId/deliveries/:deliveryId/resend',
    operationId: 'resendWebhookDelivery',
    summary: 'Send a delivery again',
    description:
      'An extension. Queues the same message, with the same `id` and body, as a new delivery, which it answers; also when the endpoint chose other events since. While the message is being retried, as this delivery or a repeat of it, that delivery is sent now instead, and answered: the attempt is ahead of its schedule and uses up none of it, and the next one waits as long as the last one did. While the message is due already, this is refused. A receiver that asked to be left alone with `Retry-After` is.',
    answer: WebhookDeliveryDetails,
    run: async ({ db, organizationId, params, actor, now, links }) => {
      const { id: deliveryId } = await transact(db, (tx) =>
        resendDelivery(tx, { organizationId, ...params, actor, now }),
      )
      return presentDeliveryDetails(
        orNotFound(await findDelivery(db, { organizationId, ...params, deliveryId })),
        links,
      )
    },
  })
}

function addResendRange(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/webhook_endpoints/:endpointId/resend',
    operationId: 'resendWebhookDeliveries',
    summary: 'Send a range of deliveries again',
    description:
      'An extension. Queues every message of the range as a new delivery, in their order, at most 10,000 in a call; those that failed, unless `states` says otherwise. A message that waits for the endpoint already is left alone, and so is one that was delivered since, unless delivered ones are asked for: asking twice does no harm.',
    body: WebhookResendRequest,
    answer: WebhookResend,
    run: async ({ db, organizationId, params, body, actor, now }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      const range = rangeOf(body, now)
      if (Array.isArray(range)) return fail('invalid', { errors: range })
      const asked = { organizationId, ...params, range, actor, now }
      const { count, goOnAfter } = await transact(db, (tx) => resendRange(tx, asked))
      return { resent_count: count, to: range.to, next_after_id: goOnAfter }
    },
  })
}
