import { issueViewOperations } from '@muster/contract/operations/console-issues.ts'
import type { FastifyInstance } from 'fastify'
import { reopenExemptionRequest } from '../../administration/requests/reopen-exemption-request.ts'
import { reopenRegistrationRequest } from '../../administration/requests/reopen-registration-request.ts'
import { transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { csvOf } from './note-export.ts'
import { exemptionColumns, registrationColumns } from './record-export-columns.ts'
import {
  countWaiting,
  type ExemptionRequestViewRow,
  findExemptionRequestView,
  findRegistrationRequestView,
  listExemptionRequestViews,
  listRegistrationRequestViews,
  type RegistrationRequestViewRow,
} from './request-queries.ts'

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

const presentExemption = (row: ExemptionRequestViewRow) => ({
  ...requestOf(row),
  status: row.status,
  issues: row.issues,
})

const presentRegistration = (row: RegistrationRequestViewRow) => ({
  ...requestOf(row),
  status: row.status,
  present_owner: row.owner_id === null || row.owner_name === null ? null : { id: row.owner_id, name: row.owner_name },
  hardware_model: row.hardware_model,
  serial: row.serial,
  operating_system: row.operating_system,
  is_suspended: row.owner_id === row.person_id && row.registration_suspended_at !== null,
  ended: row.ended_at === null || row.ended_by === null ? null : { at: row.ended_at, by: row.ended_by },
  evidence: row.evidence,
})

export function requestViewRoutes(scope: FastifyInstance): void {
  listEndpoint(scope, {
    ...issueViewOperations.listExemptionRequestViews,
    list: listExemptionRequestViews,
    present: presentExemption,
    csv: csvOf('exemption-requests', exemptionColumns),
  })

  listEndpoint(scope, {
    ...issueViewOperations.listRegistrationRequestViews,
    list: listRegistrationRequestViews,
    present: presentRegistration,
    csv: csvOf('registration-requests', registrationColumns),
  })

  endpoint(scope, {
    ...issueViewOperations.getExemptionRequestView,
    run: async ({ db, organizationId, params: { id } }) =>
      presentExemption(orNotFound(await findExemptionRequestView(db, organizationId, id))),
  })

  endpoint(scope, {
    ...issueViewOperations.getRegistrationRequestView,
    run: async ({ db, organizationId, params: { id } }) =>
      presentRegistration(orNotFound(await findRegistrationRequestView(db, organizationId, id))),
  })

  endpoint(scope, {
    ...issueViewOperations.countWaitingRequests,
    run: ({ db, organizationId }) => countWaiting(db, organizationId),
  })

  addReopening(scope)
}

function addReopening(scope: FastifyInstance): void {
  endpoint(scope, {
    ...issueViewOperations.reopenExemptionRequest,
    run: ({ db, params: { requestId }, context }) =>
      transact(db, (tx) => reopenExemptionRequest(tx, { requestId }, context)),
  })

  endpoint(scope, {
    ...issueViewOperations.reopenRegistrationRequest,
    run: ({ db, params: { requestId }, context }) =>
      transact(db, (tx) => reopenRegistrationRequest(tx, { requestId }, context)),
  })
}
