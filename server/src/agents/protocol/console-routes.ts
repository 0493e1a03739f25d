import type { NewEnrollmentSecret } from '@muster/contract/console-settings.ts'
import { settingOperations } from '@muster/contract/operations/console-settings.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { createEnrollmentSecret } from './create-enrollment-secret.ts'
import { revokeEnrollmentSecret } from './revoke-enrollment-secret.ts'
import { rotateEnrollmentSecret } from './rotate-enrollment-secret.ts'

/** The secrets that devices enroll with, on the settings page. */
export function enrollmentSecretRoutes(scope: FastifyInstance): void {
  const { db, secrets } = scope.kit
  sessionRoute(scope, {
    ...settingOperations.createEnrollmentSecret,
    run: async (call): Promise<NewEnrollmentSecret> => {
      const { name, person_id: personId, expires_at: expiresAt } = call.body
      const wanted = {
        name,
        ...(personId !== undefined && { personId: String(personId) }),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      if (expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(call.now)) {
        fail('invalid', { errors: [{ field: 'expires_at', message: 'must be in the future' }] })
      }
      return transact(db, (tx) => createEnrollmentSecret(tx, secrets, wanted, call.context))
    },
  })
  sessionRoute(scope, {
    ...settingOperations.rotateEnrollmentSecret,
    run: (call): Promise<NewEnrollmentSecret> =>
      transact(db, (tx) => rotateEnrollmentSecret(tx, secrets, { id: recordIdOf(call) }, call.context)),
  })
  sessionRoute(scope, {
    ...settingOperations.revokeEnrollmentSecret,
    run: async (call) => {
      await transact(db, (tx) => revokeEnrollmentSecret(tx, { id: recordIdOf(call) }, call.context))
    },
  })
}
