import {
  RegistrationRequest,
  RegistrationRequestDecision,
  registrationRequestSearch,
} from '@muster/contract/registration-requests.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { decideRegistrationRequest } from './decide-registration-request.ts'
import { presentRegistrationRequest } from './present.ts'
import { findRegistrationRequest, listRegistrationRequests } from './registration-queries.ts'

const tag = 'Registration requests'

export function registrationRequestRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/registration_requests',
    operationId: 'listRegistrationRequests',
    summary: 'List requests for the registration of devices',
    tag,
    record: RegistrationRequest,
    search: registrationRequestSearch,
    list: listRegistrationRequests,
    present: presentRegistrationRequest,
  })

  endpoint(app, {
    method: 'GET',
    path: '/registration_requests/:id',
    operationId: 'getRegistrationRequest',
    summary: 'Read a registration request',
    tag,
    permission: 'read',
    answer: RegistrationRequest,
    run: async ({ db, organizationId, params, links }) =>
      presentRegistrationRequest(orNotFound(await findRegistrationRequest(db, organizationId, params.id)), links),
  })

  endpoint(app, {
    method: 'PATCH',
    path: '/registration_requests/:id',
    operationId: 'decideRegistrationRequest',
    summary: 'Approve or deny a registration request',
    description:
      'Approved, the device is registered to the requester, whoever had it before. A decided request cannot be decided again.',
    tag,
    permission: 'manage_user_requests',
    body: RegistrationRequestDecision,
    answer: RegistrationRequest,
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
