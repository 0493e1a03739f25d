import { requestOperations } from '@muster/contract/operations/requests.ts'
import type { FastifyInstance } from 'fastify'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { decideExemptionRequest } from './decide-exemption-request.ts'
import { findExemptionRequest, listExemptionRequests } from './exemption-queries.ts'
import { presentExemptionRequest } from './present.ts'

export function exemptionRequestRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...requestOperations.listExemptionRequests,
    list: listExemptionRequests,
    present: presentExemptionRequest,
  })

  endpoint(app, {
    ...requestOperations.getExemptionRequest,
    run: async ({ db, organizationId, params, links }) =>
      presentExemptionRequest(orNotFound(await findExemptionRequest(db, organizationId, params.id)), links),
  })

  endpoint(app, {
    ...requestOperations.decideExemptionRequest,
    run: ({ db, organizationId, params: { id: requestId }, body: decision, links, context }) =>
      transact(db, async (tx) => {
        const deciding = { requestId, decision }
        await decideExemptionRequest(tx, deciding, context)
        return presentExemptionRequest(orNotFound(await findExemptionRequest(tx, organizationId, requestId)), links)
      }),
  })
}
