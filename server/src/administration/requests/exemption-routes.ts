import {
  ExemptionRequest,
  ExemptionRequestDecision,
  exemptionRequestSearch,
} from '@muster/contract/exemption-requests.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { decideExemptionRequest } from './decide-exemption-request.ts'
import { findExemptionRequest, listExemptionRequests } from './exemption-queries.ts'
import { presentExemptionRequest } from './present.ts'

const tag = 'Exemption requests'

export function exemptionRequestRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/exemption_requests',
    operationId: 'listExemptionRequests',
    summary: 'List requests for the exemption of issues',
    tag,
    record: ExemptionRequest,
    search: exemptionRequestSearch,
    list: listExemptionRequests,
    present: presentExemptionRequest,
  })

  endpoint(app, {
    method: 'GET',
    path: '/exemption_requests/:id',
    operationId: 'getExemptionRequest',
    summary: 'Read an exemption request',
    tag,
    permission: 'read',
    answer: ExemptionRequest,
    run: async ({ db, organizationId, params, links }) =>
      presentExemptionRequest(orNotFound(await findExemptionRequest(db, organizationId, params.id)), links),
  })

  endpoint(app, {
    method: 'PATCH',
    path: '/exemption_requests/:id',
    operationId: 'decideExemptionRequest',
    summary: 'Approve or deny an exemption request',
    description:
      'Approved, its issues stay open but block no more. A request that is decided or withdrawn cannot be decided again.',
    tag,
    permission: 'manage_user_requests',
    body: ExemptionRequestDecision,
    answer: ExemptionRequest,
    run: ({ db, organizationId, params: { id: requestId }, body: decision, actor, now, links }) =>
      transact(db, async (tx) => {
        const deciding = { organizationId, requestId, decision, actor }
        await decideExemptionRequest(tx, deciding, { cause: ulid(), initiator: 'admin', now })
        return presentExemptionRequest(orNotFound(await findExemptionRequest(tx, organizationId, requestId)), links)
      }),
  })
}
