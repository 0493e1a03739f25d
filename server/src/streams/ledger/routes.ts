import { SsfStreamEvent, ssfStreamEventSearch } from '@muster/contract/ssf-events.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { findStream } from '../queries.ts'
import { presentLedgerRow } from './present.ts'
import { findLedgerRow, listLedger } from './queries.ts'

const common = {
  tag: 'Shared Signals',
  feature: 'ssf',
  permission: 'manage_ssf_streams',
  textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
} as const

export function ledgerRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...common,
    path: '/ssf_streams/:streamId/history',
    operationId: 'listSsfStreamEvents',
    summary: 'List the events of a stream, newest first',
    description:
      'An extension. The ledger of the stream: every event that was queued for its receiver, and what became of it. Entries are kept for 90 days after they are settled.',
    record: SsfStreamEvent,
    search: ssfStreamEventSearch,
    order: 'descending',
    exists: async (reader, organizationId, { streamId }) =>
      (await findStream(reader, organizationId, streamId)) !== undefined,
    list: listLedger,
    present: presentLedgerRow,
  })

  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/ssf_streams/:streamId/history/:eventId',
    operationId: 'getSsfStreamEvent',
    summary: 'Read an event of a stream',
    description: 'An extension. An entry of the ledger of the stream, with the latest 100 times it was sent.',
    answer: SsfStreamEvent,
    run: async ({ db, organizationId, params, links }) =>
      presentLedgerRow(orNotFound(await findLedgerRow(db, organizationId, params)), links),
  })
}
