import { exportOperations } from '@muster/contract/operations/console-exports.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { findStream } from '../../signals/streams/queries.ts'
import { findDestination } from '../../signals/webhook-ledger/log/find-destination.ts'
import { noteExport } from './note-export.ts'
import { deliveryColumns, streamEventColumns } from './record-export-columns.ts'
import { listStreamEventViews } from './stream-views.ts'
import { listDeliveryViews } from './webhook-views.ts'

/** What was sent, as files, without what was in it. */
export function developerExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    ...exportOperations.exportDeliveries,
    fileName: 'deliveries',
    order: 'descending',
    list: listDeliveryViews,
    cursorOf: ({ id }) => id,
    begin: async (call) => {
      const { organizationId, params } = call
      const { url } = orNotFound(await findDestination(call.db, { organizationId, ...params }))
      const what = `the deliveries of the webhook endpoint at "${new URL(url).host}"`
      await noteExport(call, what, { webhook: params.endpointId })
      return deliveryColumns
    },
  })

  csvEndpoint(scope, {
    ...exportOperations.exportStreamEvents,
    fileName: 'events',
    order: 'descending',
    list: listStreamEventViews,
    cursorOf: ({ id }) => id,
    begin: async (call) => {
      const { id, name } = orNotFound(await findStream(call.db, call.organizationId, call.params.streamId))
      await noteExport(call, `the events of the stream "${name}"`, { stream: id })
      return streamEventColumns
    },
  })
}
