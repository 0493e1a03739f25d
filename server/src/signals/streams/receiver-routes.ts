import {
  SsfStream,
  SsfStreamCollectionChange,
  SsfStreamReference,
  SsfStreamStatus,
  SsfStreamStatusChange,
  SsfVerification,
} from '@muster/contract/ssf-streams.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { authorizationReader } from './authorization-header.ts'
import { changeStream } from './change-stream.ts'
import { deleteStream } from './delete-stream.ts'
import { presentStatus, presentStream } from './present.ts'
import { findStream, findStreamRecord } from './queries.ts'
import { setStreamStatus } from './set-stream-status.ts'
import type { StreamParts } from './start-streams.ts'
import { readStreamInput } from './stream-input.ts'
import { verifyStream } from './verify-stream.ts'

const common = { tag: 'Shared Signals', feature: 'ssf', permission: 'manage_ssf_streams' } as const

/** What the Shared Signals Framework has receivers ask: addresses without a stream, which the body or query names. */
export function receiverRoutes(app: FastifyInstance, parts: StreamParts): void {
  addCollection(app, parts)
  addStatus(app)
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/verify',
    operationId: 'verifySsfStream',
    namesRecord: true,
    summary: 'Ask for a verification event',
    description:
      'It comes as every event of the stream does, with the `state` that was given. On a stream that is not on, 400.',
    body: SsfVerification,
    run: ({ db, organizationId, body, now }) =>
      transact(db, (tx) =>
        verifyStream(tx, { organizationId, reference: body.stream_id, state: body.state ?? null, now }),
      ),
  })
}

function addCollection(app: FastifyInstance, { secrets, issuer: { baseUrl } }: StreamParts): void {
  const presenting = { baseUrl, authorizationOf: authorizationReader(secrets) }
  const rules = { allowPrivate: app.kit.config.allowPrivateReceivers }
  endpoint(app, {
    ...common,
    method: 'PATCH',
    path: '/ssf_streams',
    operationId: 'configureSsfStream',
    namesRecord: true,
    summary: 'Change the stream that the body names',
    description:
      'PATCH keeps what is left out, PUT sets it to its default. What belongs to the service may be sent along as it is; when it differs, 400.',
    body: SsfStreamCollectionChange,
    answer: SsfStream,
    run: ({ db, organizationId, body, method, actor, now }) =>
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
        await changeStream(tx, secrets, presenting, { ...change, actor, now })
        return presentStream(orNotFound(await findStreamRecord(tx, organizationId, reference, now)), presenting)
      }),
  })
  endpoint(app, {
    ...common,
    method: 'DELETE',
    path: '/ssf_streams',
    operationId: 'removeSsfStream',
    namesRecord: true,
    summary: 'Delete the stream that the query names',
    query: SsfStreamReference,
    run: ({ db, organizationId, query, actor, now }) =>
      transact(db, (tx) => deleteStream(tx, { organizationId, reference: query.stream_id, actor, now })),
  })
}

function addStatus(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'GET',
    path: '/ssf_streams/status',
    operationId: 'getSsfStreamStatus',
    namesRecord: true,
    summary: 'Read whether a stream is on',
    query: SsfStreamReference,
    answer: SsfStreamStatus,
    run: async ({ db, organizationId, query }) =>
      presentStatus(orNotFound(await findStream(db, organizationId, query.stream_id))),
  })
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/status',
    operationId: 'setSsfStreamStatus',
    namesRecord: true,
    summary: 'Turn a stream on or off',
    description: 'Events that wait when a stream is paused or disabled are delivered when it is enabled again.',
    body: SsfStreamStatusChange,
    answer: SsfStreamStatus,
    run: ({ db, organizationId, body, actor, now }) =>
      transact(db, async (tx) => {
        const { stream_id: streamId, status, reason = null } = body
        const change = { organizationId, streamId, status, reason, by: 'receiver', actor, now } as const
        return presentStatus(await setStreamStatus(tx, change))
      }),
  })
}
