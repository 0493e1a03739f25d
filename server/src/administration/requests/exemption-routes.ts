import { requestOperations } from '@muster/contract/operations/requests.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
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
    run: ({ db, organizationId, params: { id: requestId }, body: decision, actor, now, links }) =>
      transact(db, async (tx) => {
        const deciding = { organizationId, requestId, decision, actor }
        await decideExemptionRequest(tx, deciding, { cause: ulid(), initiator: 'admin', now })
        return presentExemptionRequest(orNotFound(await findExemptionRequest(tx, organizationId, requestId)), links)
      }),
  })
}
