import {
  SsfPollTokenRotation,
  SsfStream,
  SsfStreamChange,
  SsfStreamCreation,
  SsfStreamReference,
  SsfTest,
  SsfTestRequest,
} from '@muster/contract/ssf-streams.ts'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { authorizationReader } from './authorization-header.ts'
import { changeStream } from './change-stream.ts'
import { createStream } from './create-stream.ts'
import { deleteStream } from './delete-stream.ts'
import { rotatePollToken } from './poll-tokens.ts'
import { presentStream } from './present.ts'
import { findStreamRecord, listStreams, listStreamsOfKey } from './queries.ts'
import { sendTest } from './send-test.ts'
import type { StreamParts } from './start-streams.ts'
import { readStreamInput } from './stream-input.ts'

const common = { tag: 'Shared Signals', feature: 'ssf', permission: 'manage_ssf_streams' } as const
const textParams = { streamId: 'Identifier of the stream, or its `stream_id`.' }

/** Streams as records of the API. */
export function managementRoutes(app: FastifyInstance, parts: StreamParts): void {
  addReading(app, parts)
  addCreating(app, parts)
  addChanging(app, parts)
  addPollTokens(app, parts)
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/test',
    operationId: 'testSsfStream',
    summary: 'Send a test event to a stream',
    description:
      'An event that the device of the person has come to its present status from the other one. It is pushed at once, and waits for the next poll of a poll stream. A receiver that does not answer within five seconds is not asked again. On a stream that is not on, or has not requested the event, 400.',
    textParams,
    body: SsfTestRequest,
    answer: SsfTest,
    run: ({ organizationId, params, body, actor, now }) =>
      sendTest(parts, { organizationId, reference: params.streamId, email: body.email, actor, now }),
  })
}

function addReading(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const presenting = { baseUrl, authorizationOf: authorizationReader(secrets) }
  listEndpoint(app, {
    ...common,
    path: '/ssf_streams',
    operationId: 'listSsfStreams',
    summary: 'List streams',
    description:
      'With `stream_id`: that stream alone, or 404. With an access token instead of an API key: an array of the streams that its key created, at most 1,000, as the Shared Signals Framework has it.',
    record: SsfStream,
    options: Type.Object({ stream_id: Type.Optional(SsfStreamReference.properties.stream_id) }),
    one: { by: 'stream_id', find: findStreamRecord },
    bare: {
      isWanted: ({ credential }) => credential === 'access_token',
      list: (db, { organizationId, keyId = '' }, now) => listStreamsOfKey(db, organizationId, keyId, now),
    },
    list: listStreams,
    present: (row) => presentStream(row, presenting),
  })
  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/ssf_streams/:streamId',
    operationId: 'getSsfStream',
    summary: 'Read a stream',
    textParams,
    answer: SsfStream,
    run: async ({ db, organizationId, params, now }) =>
      presentStream(orNotFound(await findStreamRecord(db, organizationId, params.streamId, now)), presenting),
  })
}

function addCreating(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const { allowPrivateReceivers, ssfPathIssuers: pathIssuers } = app.kit.config
  const rules = { allowPrivate: allowPrivateReceivers }
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams',
    operationId: 'createSsfStream',
    summary: 'Make a stream',
    description:
      'Takes the standard body, or the legacy one within `ssf_stream`. Without a way of delivery the stream is polled. The answer of a poll stream has its token, which is shown once.',
    body: SsfStreamCreation,
    answer: SsfStream,
    status: 201,
    run: ({ db, organizationId, body, actor, now }) =>
      transact(db, async (tx) => {
        const input = readStreamInput(body)
        const asked = { organizationId, input, baseUrl, pathIssuers, rules, actor, now }
        const { id, pollToken } = await createStream(tx, secrets, asked)
        const row = orNotFound(await findStreamRecord(tx, organizationId, id, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationReader(secrets) }, pollToken)
      }),
  })
}

function addChanging(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const presenting = { baseUrl, authorizationOf: authorizationReader(secrets) }
  const rules = { allowPrivate: app.kit.config.allowPrivateReceivers }
  endpoint(app, {
    ...common,
    method: 'PATCH',
    path: '/ssf_streams/:streamId',
    operationId: 'updateSsfStream',
    inConsole: { needsFreshProof: true },
    summary: 'Change a stream',
    description:
      'What is left out stays, also with PUT. Events that wait are delivered the new way. A stream that becomes a poll stream is closed until a poll token is rotated in; one that becomes a push stream needs the address of its receiver.',
    textParams,
    body: SsfStreamChange,
    answer: SsfStream,
    run: ({ db, organizationId, params, body, actor, now }) =>
      transact(db, async (tx) => {
        const { streamId: reference } = params
        const change = { organizationId, reference, input: readStreamInput(body), body, replaces: false, rules }
        await changeStream(tx, secrets, presenting, { ...change, actor, now })
        return presentStream(orNotFound(await findStreamRecord(tx, organizationId, reference, now)), presenting)
      }),
  })
  endpoint(app, {
    ...common,
    method: 'DELETE',
    path: '/ssf_streams/:streamId',
    operationId: 'deleteSsfStream',
    inConsole: { needsFreshProof: true },
    summary: 'Delete a stream',
    textParams,
    run: ({ db, organizationId, params, actor, now }) =>
      transact(db, (tx) => deleteStream(tx, { organizationId, reference: params.streamId, actor, now })),
  })
}

function addPollTokens(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/rotate_poll_token',
    operationId: 'rotateSsfPollToken',
    inConsole: { needsFreshProof: true },
    summary: 'Replace the poll token of a stream',
    description: 'The stream and its events stay. The answer has the new token, which is shown once.',
    textParams,
    body: SsfPollTokenRotation,
    answer: SsfStream,
    run: ({ db, organizationId, params: { streamId: reference }, body, actor, now }) =>
      transact(db, async (tx) => {
        const rotation = { organizationId, reference, mode: body.mode, overlapSeconds: overlapOf(body) }
        const token = await rotatePollToken(tx, secrets, { ...rotation, actor, now })
        const row = orNotFound(await findStreamRecord(tx, organizationId, reference, now))
        return presentStream(row, { baseUrl, authorizationOf: authorizationReader(secrets) }, token)
      }),
  })
}

function overlapOf({ mode, overlap_seconds: seconds }: SsfPollTokenRotation): number {
  if (mode !== 'overlap') return 0
  return seconds ?? fail('invalid', { errors: [{ field: 'overlap_seconds', message: 'is required' }] })
}
