import { requestOperations } from '@muster/contract/operations/requests.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { decideRegistrationRequest } from './decide-registration-request.ts'
import { presentRegistrationRequest } from './present.ts'
import { findRegistrationRequest, listRegistrationRequests } from './registration-queries.ts'

export function registrationRequestRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...requestOperations.listRegistrationRequests,
    list: listRegistrationRequests,
    present: presentRegistrationRequest,
  })

  endpoint(app, {
    ...requestOperations.getRegistrationRequest,
    run: async ({ db, organizationId, params, links }) =>
      presentRegistrationRequest(orNotFound(await findRegistrationRequest(db, organizationId, params.id)), links),
  })

  endpoint(app, {
    ...requestOperations.decideRegistrationRequest,
    run: ({ db, organizationId, params: { id: requestId }, body: decision, actor, now, links }) =>
      transact(db, async (tx) => {
        const deciding = { organizationId, requestId, decision, actor }
        await decideRegistrationRequest(tx, deciding, { cause: ulid(), initiator: 'admin', now })
        return presentRegistrationRequest(
          orNotFound(await findRegistrationRequest(tx, organizationId, requestId)),
          links,
        )
      }),
  })
}
