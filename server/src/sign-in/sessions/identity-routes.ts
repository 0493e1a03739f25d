import { personIdentityOperations } from '@muster/contract/operations/person-identities.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { recordIdOf, sessionRoute } from '../../http/session-endpoint.ts'
import { forgetIdentities } from './forget-identities.ts'
import { listIdentities } from './identity-queries.ts'

/** The accounts at identity providers that are a person's, for administrators. */
export function identityRoutes(scope: FastifyInstance): void {
  const { db } = scope.kit
  sessionRoute(scope, {
    ...personIdentityOperations.forgetPersonIdentities,
    run: async (call) => {
      await transact(db, (tx) => forgetIdentities(tx, { personId: recordIdOf(call) }, call.context))
    },
  })
  endpoint(scope, {
    ...personIdentityOperations.listPersonIdentities,
    run: async ({ organizationId, params: { id: personId } }) => ({
      data: orNotFound(await listIdentities(db, { organizationId, personId })),
    }),
  })
}
