import { receiverOperations } from '@muster/contract/operations/stream-receivers.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { authorizationReader, authorizationShown } from './authorization-header.ts'
import { changeStream } from './change-stream.ts'
import { deleteStream } from './delete-stream.ts'
import { presentStatus, presentStream } from './present.ts'
import { findStream, findStreamRecord } from './queries.ts'
import { setStreamStatus } from './set-stream-status.ts'
import type { StreamParts } from './start-streams.ts'
import { readStreamInput } from './stream-input.ts'
import { verifyStream } from './verify-stream.ts'

/** What the Shared Signals Framework has receivers ask: addresses without a stream, which the body or query names. */
export function receiverRoutes(app: FastifyInstance, parts: StreamParts): void {
  addCollection(app, parts)
  addStatus(app)
  endpoint(app, {
    ...receiverOperations.verifySsfStream,
    run: ({ db, organizationId, body, now, context }) =>
      transact(db, (tx) =>
        verifyStream(tx, {
          organizationId,
          reference: body.stream_id,
          state: body.state ?? null,
          cause: context.cause,
          now,
        }),
      ),
  })
}

function addCollection(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const stored = { baseUrl, authorizationOf: authorizationReader(secrets) }
  const shown = { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) }
  const rules = { allowPrivate: app.kit.config.allowPrivateReceivers }
  endpoint(app, {
    ...receiverOperations.configureSsfStream,
    run: ({ db, organizationId, body, method, now, context }) =>
      transact(db, async (tx) => {
        const { stream_id: reference } = body
        const change = {
          organizationId,
          reference,
          input: readStreamInput(body),
          body,
          replaces: method === 'PUT',
          rules,
        }
        await changeStream(tx, secrets, stored, change, context)
        return presentStream(orNotFound(await findStreamRecord(tx, organizationId, reference, now)), shown)
      }),
  })
  endpoint(app, {
    ...receiverOperations.removeSsfStream,
    run: ({ db, query, context }) => transact(db, (tx) => deleteStream(tx, { reference: query.stream_id }, context)),
  })
}

function addStatus(app: FastifyInstance): void {
  endpoint(app, {
    ...receiverOperations.getSsfStreamStatus,
    run: async ({ db, organizationId, query }) =>
      presentStatus(orNotFound(await findStream(db, organizationId, query.stream_id))),
  })
  endpoint(app, {
    ...receiverOperations.setSsfStreamStatus,
    run: ({ db, body, context }) =>
      transact(db, async (tx) => {
        const { stream_id: streamId, status, reason = null } = body
        const change = { streamId, status, reason, by: 'receiver' } as const
        return presentStatus(await setStreamStatus(tx, change, context))
      }),
  })
}
