import { streamOperations } from '@muster/contract/operations/streams.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { authorizationShown } from './authorization-header.ts'
import { moveStream } from './move-stream.ts'
import { presentStream } from './present.ts'
import { findStream, findStreamRecord } from './queries.ts'
import { readIssuer } from './read-issuer.ts'
import type { StreamParts } from './start-streams.ts'

/** What the receiver of a stream is set up with, and the move to another issuer. */
export function issuerRoutes(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const { ssfPathIssuers: pathIssuers } = app.kit.config
  endpoint(app, {
    ...streamOperations.getSsfStreamIssuer,
    run: async ({ db, organizationId, params, now }) => {
      const stream = orNotFound(await findStream(db, organizationId, params.streamId))
      return readIssuer(db, stream, { baseUrl, pathIssuers, now })
    },
  })
  endpoint(app, {
    ...streamOperations.moveSsfStream,
    run: async ({ db, organizationId, params: { streamId: reference }, now, context }) => {
      await ensureSigningKey(db, secrets, { organizationId, purpose: 'signals' }, now)
      return transact(db, async (tx) => {
        await moveStream(tx, { reference, baseUrl, pathIssuers }, context)
        const row = orNotFound(await findStreamRecord(tx, organizationId, reference, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) })
      })
    },
  })
}
