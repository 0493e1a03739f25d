import { SsfReplay, SsfReplayRequest, SsfStreamEvent, ssfStreamEventSearch } from '@muster/contract/ssf-events.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../../base/db/transact.ts'
import { fail, orNotFound } from '../../../base/errors.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listEndpoint } from '../../../http/list-endpoint.ts'
import { findStream } from '../queries.ts'
import type { StreamParts } from '../start-streams.ts'
import { addTokens } from './add-tokens.ts'
import { replayChoiceOf } from './choose-replay.ts'
import { presentLedgerRow } from './present.ts'
import { findLedgerRow, listLedger } from './queries.ts'
import { replayEvents } from './replay-events.ts'

const common = {
  tag: 'Shared Signals',
  feature: 'ssf',
  permission: 'manage_ssf_streams',
  textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
} as const

export function ledgerRoutes(app: FastifyInstance, { issuer: { signer } }: StreamParts): void {
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
    list: async (db, page) => addTokens(signer, await listLedger(db, page)),
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
    run: async ({ db, organizationId, params, links }) => {
      const [row] = await addTokens(signer, [orNotFound(await findLedgerRow(db, organizationId, params))])
      return presentLedgerRow(orNotFound(row), links)
    },
  })

  addReplay(app)
}

function addReplay(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/replay',
    operationId: 'replaySsfStreamEvents',
    summary: 'Send events of a stream again',
    description:
      'An extension. Lets events that were settled wait for the receiver again, in their order, with the same `jti` and the same token; at most 10,000 in a call. What waits already is left alone, so asking twice does no harm. The receiver hears old news again: after a loss, reading the snapshot is better.',
    body: SsfReplayRequest,
    answer: SsfReplay,
    run: async ({ db, organizationId, params, body, actor, now }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      const choice = replayChoiceOf(body)
      if (choice.kind === 'wrong') return fail('invalid', { errors: choice.errors })
      const { count, goOnAfter } = await transact(db, (tx) => replayEvents(tx, { stream, choice, actor, now }))
      return { replayed_count: count, next_after_id: goOnAfter }
    },
  })
}
