import { developerViewOperations } from '@muster/contract/operations/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { findDestination } from '../../signals/webhook-ledger/log/find-destination.ts'
import { rangeOf } from '../../signals/webhooks/log/choose-range.ts'
import { presentDelivery } from '../../signals/webhooks/log/present.ts'
import { noteExport } from './note-export.ts'
import { deliveryColumns } from './record-export-columns.ts'
import { countResend, listDeliveryViews, readWebhookView } from './webhook-views.ts'

/** What the pages of webhooks show beside the records. */
export function webhookViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...developerViewOperations.getWebhookView,
    run: async ({ db, organizationId, params, now }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      return readWebhookView(db, { organizationId, ...params }, now)
    },
  })

  listEndpoint(scope, {
    ...developerViewOperations.listDeliveryViews,
    exists: async (reader, organizationId, { endpointId }) =>
      (await findDestination(reader, { organizationId, endpointId })) !== undefined,
    list: listDeliveryViews,
    present: (row, links) => ({ ...presentDelivery(row, links), device_name: row.device_name }),
    csv: {
      fileName: 'deliveries',
      begin: async (call) => {
        const { organizationId, params } = call
        const { url } = orNotFound(await findDestination(call.db, { organizationId, ...params }))
        const what = `the deliveries of the webhook endpoint at "${new URL(url).host}"`
        await noteExport(call, what, { webhook: params.endpointId })
        return deliveryColumns
      },
    },
  })

  endpoint(scope, {
    ...developerViewOperations.countWebhookResend,
    run: async ({ db, organizationId, params, query: { from, to, state }, now }) => {
      orNotFound(await findDestination(db, { organizationId, ...params }))
      const range = rangeOf({ from, to, ...(state && { states: [state] }) }, now)
      if (Array.isArray(range)) return fail('invalid', { errors: range })
      return { count: await countResend(db, { organizationId, ...params, ...range }) }
    },
  })
}
