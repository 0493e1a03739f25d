import { developerViewOperations } from '@muster/contract/operations/console-developers.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { presentStatus } from './present.ts'
import { revealAuthorization } from './reveal-authorization.ts'
import { setStreamStatus } from './set-stream-status.ts'
import { verifyStream } from './verify-stream.ts'

/** What administrators do with a stream where receivers have addresses of their own; the receiver is notified. */
export function administratorRoutes(app: FastifyInstance): void {
  endpoint(app, {
    ...developerViewOperations.changeSsfStreamStatus,
    run: ({ db, params: { streamId }, body, context }) =>
      transact(db, async (tx) => {
        const { status, reason = null } = body
        const change = { streamId, status, reason, by: 'admin' } as const
        return presentStatus(await setStreamStatus(tx, change, context))
      }),
  })
  endpoint(app, {
    ...developerViewOperations.revealStreamAuthorization,
    run: ({ db, params: { streamId: reference }, context }) =>
      transact(db, async (tx) => ({
        authorization_header: await revealAuthorization(tx, app.kit.secrets, { reference }, context),
      })),
  })
  endpoint(app, {
    ...developerViewOperations.askSsfVerification,
    run: ({ db, organizationId, params: { streamId: reference }, body, now, context }) =>
      transact(db, (tx) =>
        verifyStream(tx, { organizationId, reference, state: body.state ?? null, cause: context.cause, now }),
      ),
  })
}
