import { DeliveryViewFilter, StreamEventFilter } from '@muster/contract/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { csvEndpoint } from '../../http/csv-endpoint.ts'
import { findStream } from '../../signals/streams/queries.ts'
import { findDestination } from '../../signals/webhook-ledger/log/find-destination.ts'
import { noteExport } from './note-export.ts'
import { deliveryColumns, streamEventColumns } from './record-export-columns.ts'
import { listStreamEventViews } from './stream-views.ts'
import { listDeliveryViews } from './webhook-views.ts'

const tag = 'Console'

/** What was sent, as files, without what was in it. */
export function developerExportRoutes(scope: FastifyInstance): void {
  csvEndpoint(scope, {
    path: '/views/exports/webhooks/:endpointId/deliveries',
    operationId: 'exportDeliveries',
    summary: 'Export the deliveries of a webhook that a filter finds',
    tag,
    permission: 'manage_webhooks',
    fileName: 'deliveries',
    options: DeliveryViewFilter,
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
    path: '/views/exports/streams/:streamId/events',
    operationId: 'exportStreamEvents',
    summary: 'Export the events of a stream that a filter finds',
    tag,
    feature: 'ssf',
    permission: 'manage_ssf_streams',
    textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
    fileName: 'events',
    options: StreamEventFilter,
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
