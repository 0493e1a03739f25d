import {
  ExemptionRequestView,
  RegistrationRequestView,
  RequestViewFilter,
  WaitingCounts,
} from '@muster/contract/console-issues.ts'
import type { FastifyInstance } from 'fastify'
import { ulid } from 'ulid'
import { reopenExemptionRequest } from '../../administration/requests/reopen-exemption-request.ts'
import { reopenRegistrationRequest } from '../../administration/requests/reopen-registration-request.ts'
import { transact } from '../../base/db/transact.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import {
  countWaiting,
  type ExemptionRequestViewRow,
  listExemptionRequestViews,
  listRegistrationRequestViews,
  type RegistrationRequestViewRow,
} from './request-queries.ts'

const tag = 'Console'

const requestOf = (row: ExemptionRequestViewRow | RegistrationRequestViewRow) => ({
  id: row.id,
  requested_at: row.requested_at,
  decided_at: row.decided_at,
  message: row.message,
  internal_note: row.internal_note,
  denial_note: row.denial_note,
  requester: { id: row.person_id, name: row.person_name },
  device: { id: row.device_id, name: row.device_name },
})

export function requestViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    path: '/views/exemption_requests',
    operationId: 'listExemptionRequestViews',
    summary: 'List requests for exemption with names and issues, newest first',
    tag,
    record: ExemptionRequestView,
    options: RequestViewFilter,
    list: listExemptionRequestViews,
    present: (row) => ({ ...requestOf(row), status: row.status, issues: row.issues }),
  })

  listEndpoint(scope, {
    path: '/views/registration_requests',
    operationId: 'listRegistrationRequestViews',
    summary: 'List requests for registration with names, newest first',
    tag,
    record: RegistrationRequestView,
    options: RequestViewFilter,
    list: listRegistrationRequestViews,
    present: (row) => ({
      ...requestOf(row),
      status: row.status,
      present_owner:
        row.owner_id === null || row.owner_name === null ? null : { id: row.owner_id, name: row.owner_name },
    }),
  })

  endpoint(scope, {
    method: 'GET',
    path: '/views/waiting_requests',
    operationId: 'countWaitingRequests',
    summary: 'Count the requests that wait',
    tag,
    permission: 'read',
    answer: WaitingCounts,
    run: ({ db, organizationId }) => countWaiting(db, organizationId),
  })

  addReopening(scope)
}

function addReopening(scope: FastifyInstance): void {
  const shared = { method: 'POST', tag, permission: 'manage_user_requests' } as const

  endpoint(scope, {
    ...shared,
    path: '/views/exemption_requests/:requestId/reopen',
    operationId: 'reopenExemptionRequest',
    summary: 'Open a decided exemption request again',
    run: ({ db, organizationId, params: { requestId }, actor, now }) =>
      transact(db, (tx) =>
        reopenExemptionRequest(tx, { organizationId, requestId, actor }, { cause: ulid(), initiator: 'admin', now }),
      ),
  })

  endpoint(scope, {
    ...shared,
    path: '/views/registration_requests/:requestId/reopen',
    operationId: 'reopenRegistrationRequest',
    summary: 'Open a denied registration request again',
    run: ({ db, organizationId, params: { requestId }, actor, now }) =>
      transact(db, (tx) => reopenRegistrationRequest(tx, { organizationId, requestId, actor, now })),
  })
}
