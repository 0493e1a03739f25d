import type { NewScimToken } from '@muster/contract/console-settings.ts'
import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { createScimToken } from './create-token.ts'
import { revokeScimToken } from './revoke-token.ts'
import { rotateScimToken } from './rotate-token.ts'

/** The tokens that identity providers provision people with, on the settings page. */
export function scimTokenRoutes(scope: FastifyInstance): void {
  const { secrets } = scope.kit
  sessionRoute(scope, {
    ...settingOperations.createScimToken,
    run: async (call): Promise<NewScimToken> => {
      return transact(scope.kit.db, (tx) => createScimToken(tx, secrets, { ...call.body }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.rotateScimToken,
    run: async (call): Promise<NewScimToken> => {
      return transact(scope.kit.db, (tx) => rotateScimToken(tx, secrets, { id: recordIdOf(call) }, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.revokeScimToken,
    run: async (call) => {
      await transact(scope.kit.db, (tx) => revokeScimToken(tx, { id: recordIdOf(call) }, call.context))
    },
  })
}
