import { streamOperations } from '@muster/contract/operations/streams.ts'
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

export function ledgerRoutes(app: FastifyInstance, { issuer: { signer } }: StreamParts): void {
  listEndpoint(app, {
    ...streamOperations.listSsfStreamEvents,
    order: 'descending',
    exists: async (reader, organizationId, { streamId }) =>
      (await findStream(reader, organizationId, streamId)) !== undefined,
    list: async (db, page) => addTokens(signer, await listLedger(db, page)),
    present: presentLedgerRow,
  })

  endpoint(app, {
    ...streamOperations.getSsfStreamEvent,
    run: async ({ db, organizationId, params, links }) => {
      const [row] = await addTokens(signer, [orNotFound(await findLedgerRow(db, organizationId, params))])
      return presentLedgerRow(orNotFound(row), links)
    },
  })

  addReplay(app)
}

function addReplay(app: FastifyInstance): void {
  endpoint(app, {
    ...streamOperations.replaySsfStreamEvents,
    run: async ({ db, organizationId, params, body, context }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      const choice = replayChoiceOf(body)
      if (choice.kind === 'wrong') return fail('invalid', { errors: choice.errors })
      const { count, goOnAfter } = await transact(db, (tx) => replayEvents(tx, { stream, choice }, context))
      return { replayed_count: count, next_after_id: goOnAfter }
    },
  })
}
