import { StreamStatusRequest, StreamVerificationRequest } from '@muster/contract/console-developers.ts'
import { SsfStreamStatus } from '@muster/contract/ssf-streams.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentStatus } from './present.ts'
import { setStreamStatus } from './set-stream-status.ts'
import { verifyStream } from './verify-stream.ts'

const common = {
  tag: 'Shared Signals',
  feature: 'ssf',
  permission: 'manage_ssf_streams',
  textParams: { streamId: 'Identifier of the stream, or its `stream_id`.' },
} as const

/** What administrators do with a stream where receivers have addresses of their own; the receiver is told of it. */
export function administratorRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/status',
    operationId: 'changeSsfStreamStatus',
    inConsole: { needsFreshProof: true },
    summary: 'Turn a stream on or off, and tell its receiver',
    body: StreamStatusRequest,
    answer: SsfStreamStatus,
    run: ({ db, organizationId, params: { streamId }, body, actor, now }) =>
      transact(db, async (tx) => {
        const { status, reason = null } = body
        const change = { organizationId, streamId, status, reason, by: 'admin', actor, now } as const
        return presentStatus(await setStreamStatus(tx, change))
      }),
  })
  endpoint(app, {
    ...common,
    method: 'POST',
    path: '/ssf_streams/:streamId/verify',
    operationId: 'askSsfVerification',
    summary: 'Send a verification event',
    body: StreamVerificationRequest,
    run: ({ db, organizationId, params: { streamId: reference }, body, now }) =>
      transact(db, (tx) => verifyStream(tx, { organizationId, reference, state: body.state ?? null, now })),
  })
}
