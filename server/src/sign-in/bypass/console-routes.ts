import { signInExceptionOperations } from '@muster/contract/operations/sign-in-exceptions.ts'
import type { BypassCodeView, NewBypassCode } from '@muster/contract/sign-in-exceptions.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { createBypassCode, withdrawBypassCode } from './bypass-codes.ts'
import { type BypassCodeRow, listBypassCodes } from './bypass-queries.ts'

/** The codes that let people in without the check of their device, for administrators. */
export function bypassCodeRoutes(scope: FastifyInstance): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, {
    ...signInExceptionOperations.createBypassCode,
    run: async ({ body, context }): Promise<NewBypassCode> => {
      const { person_id: personId, connection_id: connectionId, hours, reason } = body
      const made = await transact(db, (tx) =>
        createBypassCode(tx, secrets, { personId, connectionId, hours, reason }, context),
      )
      return { id: made.id, code: made.code, expires_at: made.expiresAt }
    },
  })
  sessionRoute(scope, {
    ...signInExceptionOperations.withdrawBypassCode,
    run: async (call) => {
      await transact(db, (tx) => withdrawBypassCode(tx, { id: recordIdOf(call) }, call.context))
    },
  })
}

export function bypassCodeViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...signInExceptionOperations.listBypassCodes,
    list: listBypassCodes,
    present: (row: BypassCodeRow): BypassCodeView => row,
  })
}
