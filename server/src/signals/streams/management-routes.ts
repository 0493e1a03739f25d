import { streamOperations } from '@muster/contract/operations/streams.ts'
import type { SsfPollTokenRotation } from '@muster/contract/ssf-streams.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { ensureSigningKey } from '../../keys/rotate-signing-key.ts'
import { authorizationReader, authorizationShown } from './authorization-header.ts'
import { changeStream } from './change-stream.ts'
import { createStream } from './create-stream.ts'
import { deleteStream } from './delete-stream.ts'
import { rotatePollToken } from './poll-tokens.ts'
import { presentStream } from './present.ts'
import { findStreamRecord, listStreams, listStreamsOfKey } from './queries.ts'
import { sendTest } from './send-test.ts'
import type { StreamParts } from './start-streams.ts'
import { readStreamInput } from './stream-input.ts'

/** Streams as records of the API. */
export function managementRoutes(app: FastifyInstance, parts: StreamParts): void {
  addReading(app, parts)
  addCreating(app, parts)
  addChanging(app, parts)
  addPollTokens(app, parts)
  endpoint(app, {
    ...streamOperations.testSsfStream,
    run: ({ params, body, context }) => sendTest(parts, { reference: params.streamId, email: body.email }, context),
  })
}

function addReading(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const presenting = { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) }
  listEndpoint(app, {
    ...streamOperations.listSsfStreams,
    one: { by: 'stream_id', find: findStreamRecord },
    bare: {
      isWanted: ({ credential }) => credential === 'access_token',
      list: (db, { organizationId, keyId = '' }, now) => listStreamsOfKey(db, organizationId, keyId, now),
    },
    list: listStreams,
    present: (row) => presentStream(row, presenting),
  })
  endpoint(app, {
    ...streamOperations.getSsfStream,
    run: async ({ db, organizationId, params, now }) =>
      presentStream(orNotFound(await findStreamRecord(db, organizationId, params.streamId, now)), presenting),
  })
}

function addCreating(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const { allowPrivateReceivers, ssfPathIssuers: pathIssuers } = app.kit.config
  const rules = { allowPrivate: allowPrivateReceivers }
  endpoint(app, {
    ...streamOperations.createSsfStream,
    run: async ({ db, organizationId, body, now, context }) => {
      // Receivers fetch the keys before the first token.
      await ensureSigningKey(db, secrets, { organizationId, purpose: 'signals' }, now)
      return transact(db, async (tx) => {
        const input = readStreamInput(body)
        const asked = { input, baseUrl, pathIssuers, rules }
        const { id, pollToken } = await createStream(tx, secrets, asked, context)
        const row = orNotFound(await findStreamRecord(tx, organizationId, id, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) }, pollToken)
      })
    },
  })
}

function addChanging(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const stored = { baseUrl, authorizationOf: authorizationReader(secrets) }
  const shown = { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) }
  const rules = { allowPrivate: app.kit.config.allowPrivateReceivers }
  endpoint(app, {
    ...streamOperations.updateSsfStream,
    run: ({ db, organizationId, params, body, now, context }) =>
      transact(db, async (tx) => {
        const { streamId: reference } = params
        const change = { organizationId, reference, input: readStreamInput(body), body, replaces: false, rules }
        await changeStream(tx, secrets, stored, change, context)
        return presentStream(orNotFound(await findStreamRecord(tx, organizationId, reference, now)), shown)
      }),
  })
  endpoint(app, {
    ...streamOperations.deleteSsfStream,
    run: ({ db, params, context }) => transact(db, (tx) => deleteStream(tx, { reference: params.streamId }, context)),
  })
}

function addPollTokens(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  endpoint(app, {
    ...streamOperations.rotateSsfPollToken,
    run: ({ db, organizationId, params: { streamId: reference }, body, now, context }) =>
      transact(db, async (tx) => {
        const rotation = { organizationId, reference, mode: body.mode, overlapSeconds: overlapOf(body) }
        const token = await rotatePollToken(tx, secrets, rotation, context)
        const row = orNotFound(await findStreamRecord(tx, organizationId, reference, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationShown(secrets, app.kit.scheme) }, token)
      }),
  })
}

function overlapOf({ mode, overlap_seconds: seconds }: SsfPollTokenRotation): number {
  if (mode !== 'overlap') return 0
  return seconds ?? fail('invalid', { errors: [{ field: 'overlap_seconds', message: 'is required' }] })
}
