import {
  RangeCount,
  StreamEventFilter,
  StreamEventView,
  StreamReplayRange,
  StreamView,
} from '@muster/contract/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { replayChoiceOf } from '../../signals/streams/ledger/choose-replay.ts'
import { presentLedgerRow } from '../../signals/streams/ledger/present.ts'
import { findStream } from '../../signals/streams/queries.ts'
import { countReplay, listStreamEventViews, readStreamView } from './stream-views.ts'

const common = {
  tag: 'Console',
  feature: 'ssf',
  permission: 'manage_ssf_streams',
  textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
} as const

/** What the pages of streams show beside the records. */
export function streamViewRoutes(scope: FastifyInstance): void {
  endpoint(scope, {
    ...common,
    method: 'GET',
    path: '/views/streams/:streamId',
    operationId: 'getStreamView',
    summary: 'Read how a stream stands',
    answer: StreamView,
    run: async ({ db, organizationId, params, now }) =>
      readStreamView(db, orNotFound(await findStream(db, organizationId, params.streamId)), now),
  })

  listEndpoint(scope, {
    ...common,
    path: '/views/streams/:streamId/events',
    operationId: 'listStreamEventViews',
    summary: 'List the events of a stream with the names of devices, newest first',
    record: StreamEventView,
    options: StreamEventFilter,
    exists: async (reader, organizationId, { streamId }) =>
      (await findStream(reader, organizationId, streamId)) !== undefined,
    list: listStreamEventViews,
    present: (row, links) => ({ ...presentLedgerRow(row, links), device_name: row.device_name }),
  })

  endpoint(scope, {
    ...common,
    method: 'GET',
    path: '/views/streams/:streamId/replay_count',
    operationId: 'countStreamReplay',
    summary: 'Count what a replay of a range would send again',
    query: StreamReplayRange,
    answer: RangeCount,
    run: async ({ db, organizationId, params, query: { from, to, state } }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      const choice = replayChoiceOf({ from, to, ...(state && { states: [state] }) })
      if (choice.kind === 'wrong') return fail('invalid', { errors: choice.errors })
      return { count: await countReplay(db, stream, choice) }
    },
  })
}
