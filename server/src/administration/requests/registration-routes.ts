import { requestOperations } from '@muster/contract/operations/requests.ts'
import type { FastifyInstance } from 'fastify'
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
    run: ({ db, organizationId, params: { id: requestId }, body: decision, links, context }) =>
      transact(db, async (tx) => {
        const deciding = { requestId, decision }
        await decideRegistrationRequest(tx, deciding, context)
        return presentRegistrationRequest(
          orNotFound(await findRegistrationRequest(tx, organizationId, requestId)),
          links,
        )
      }),
  })
}
