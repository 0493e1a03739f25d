import { SsfStreamIssuer } from '@muster/contract/ssf-issuers.ts'
import { SsfStream } from '@muster/contract/ssf-streams.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { authorizationReader } from './authorization-header.ts'
import { moveStream } from './move-stream.ts'
import { presentStream } from './present.ts'
import { findStream, findStreamRecord } from './queries.ts'
import { readIssuer } from './read-issuer.ts'
import type { StreamParts } from './start-streams.ts'

const common = {
  tag: 'Shared Signals',
  feature: 'ssf',
  permission: 'manage_ssf_streams',
  textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
} as const

/** What the receiver of a stream is set up with, and the move to another issuer. */
export function issuerRoutes(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const { ssfPathIssuers: pathIssuers } = app.kit.config
  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/ssf_streams/:streamId/issuer',
    operationId: 'getSsfStreamIssuer',
    summary: 'Read what the receiver of a stream verifies its tokens with',
    description:
      'An extension. The issuer, keys and audience as they are now, before the latest move, and as a move would make them.',
    answer: SsfStreamIssuer,
    run: async ({ db, organizationId, params, now }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      return readIssuer(db, stream, { baseUrl, pathIssuers, now })
    },
  })
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/move',
    operationId: 'moveSsfStream',
    summary: 'Move a stream to the present issuer and keys of the organization',
    description:
      'An extension. Events that were queued before keep their issuer and keys, which stay published for 31 days. A stream that is there already stays as it is.',
    answer: SsfStream,
    run: ({ db, organizationId, params: { streamId: reference }, actor, now }) =>
      transact(db, async (tx) => {
        await moveStream(tx, { organizationId, reference, baseUrl, pathIssuers, actor, now })
        const row = orNotFound(await findStreamRecord(tx, organizationId, reference, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationReader(secrets) })
      }),
  })
}
