import { webhookOperations } from '@muster/contract/operations/webhooks.ts'
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

/** The delivery log of endpoints, and what is sent by hand. */
export function webhookLogRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...webhookOperations.listWebhookDeliveries,
    order: 'descending',
    exists: async (reader, organizationId, { endpointId }) =>
      (await findDestination(reader, { organizationId, endpointId })) !== undefined,
    list: listDeliveries,
    present: presentDelivery,
  })

  endpoint(app, {
    ...webhookOperations.getWebhookDelivery,
    run: async ({ db, organizationId, params, links }) =>
      presentDeliveryDetails(orNotFound(await findDelivery(db, { organizationId, ...params })), links),
  })

  addTest(app)
  addResend(app)
  addResendRange(app)
}

function addTest(app: FastifyInstance): void {
  endpoint(app, {
    ...webhookOperations.testWebhookEndpoint,
    run: async ({ db, organizationId, params, body, links, context }) => {
      const { message, event } = body
      const test = { ...params, message, event }
      const deliveryId = await transact(db, (tx) => sendTest(tx, test, context))
      return presentDeliveryDetails(
        orNotFound(await findDelivery(db, { organizationId, ...params, deliveryId })),
        links,
      )
    },
  })
}

function addResend(app: FastifyInstance): void {
  endpoint(app, {
    ...webhookOperations.resendWebhookDelivery,
    run: async ({ db, organizationId, params, links, context }) => {
      const { id: deliveryId } = await transact(db, (tx) => resendDelivery(tx, params, context))
      return presentDeliveryDetails(
        orNotFound(await findDelivery(db, { organizationId, ...params, deliveryId })),
        links,
      )
    },
  })
}

function addResendRange(app: FastifyInstance): void {
  endpoint(app, {
    ...webhookOperations.resendWebhookDeliveries,
    run: async ({ db, organizationId, params, body, now, context }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      const range = rangeOf(body, now)
      if (Array.isArray(range)) return fail('invalid', { errors: range })
      const asked = { ...params, range }
      const { count, goOnAfter } = await transact(db, (tx) => resendRange(tx, asked, context))
      return { resent_count: count, to: range.to, next_after_id: goOnAfter }
    },
  })
}
