import type { ExemptionRequest } from '@muster/contract/exemption-requests.ts'
import type { RegistrationRequest } from '@muster/contract/registration-requests.ts'
import type { Links } from '../../base/links.ts'
import type { ExemptionRequestRow } from './exemption-queries.ts'
import type { RegistrationRequestRow } from './registration-queries.ts'

export const presentExemptionRequest = (row: ExemptionRequestRow, links: Links): ExemptionRequest => ({
  id: row.id,
  status: row.status,
  internal_explanation: row.internal_explanation,
  denial_explanation: row.denial_explanation,
  requested_at: row.requested_at,
  requester_message: row.requester_message,
  requester_information: links.person(row.person_id),
  device_information: links.device(row.device_id),
  issues: row.issue_ids.map(links.issue),
})

export const presentRegistrationRequest = (row: RegistrationRequestRow, links: Links): RegistrationRequest => ({
  id: row.id,
  status: row.status,
  requester_message: row.requester_message,
  internal_denial_note: row.status === 'denied' ? row.internal_note : null,
  internal_approval_note: row.status === 'approved' ? row.internal_note : null,
  requested_at: row.requested_at,
  end_user_denial_note: row.end_user_denial_note,
  requester_information: links.person(row.person_id),
  device_information: links.device(row.device_id),
})
