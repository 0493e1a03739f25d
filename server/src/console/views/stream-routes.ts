import { developerViewOperations } from '@muster/contract/operations/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { replayChoiceOf } from '../../signals/streams/ledger/choose-replay.ts'
import { presentLedgerRow } from '../../signals/streams/ledger/present.ts'
import { findStream } from '../../signals/streams/queries.ts'
import { noteExport } from './note-export.ts'
import { streamEventColumns } from './record-export-columns.ts'
import { countReplay, listStreamEventViews, readStreamView } from './stream-views.ts'

/** What the pages of streams show beside the records. */
export function streamViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...developerViewOperations.getStreamView,
    run: async ({ db, organizationId, params, now }) =>
      readStreamView(db, orNotFound(await findStream(db, organizationId, params.streamId)), now),
  })

  listEndpoint(scope, {
    ...developerViewOperations.listStreamEventViews,
    exists: async (reader, organizationId, { streamId }) =>
      (await findStream(reader, organizationId, streamId)) !== undefined,
    list: listStreamEventViews,
    present: (row, links) => ({ ...presentLedgerRow(row, links), device_name: row.device_name }),
    csv: {
      fileName: 'events',
      begin: async (call) => {
        const { id, name } = orNotFound(await findStream(call.db, call.organizationId, call.params.streamId))
        await noteExport(call, `the events of the stream "${name}"`, { stream: id })
        return streamEventColumns
      },
    },
  })

  endpoint(scope, {
    ...developerViewOperations.countStreamReplay,
    run: async ({ db, organizationId, params, query: { from, to, state } }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      const choice = replayChoiceOf({ from, to, ...(state && { states: [state] }) })
      if (choice.kind === 'wrong') return fail('invalid', { errors: choice.errors })
      return { count: await countReplay(db, stream, choice) }
    },
  })
}
