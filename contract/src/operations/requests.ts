import { ExemptionRequest, ExemptionRequestDecision, exemptionRequestSearch } from '../exemption-requests.ts'
import {
  RegistrationRequest,
  RegistrationRequestDecision,
  registrationRequestSearch,
} from '../registration-requests.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const requestOperations = defineOperations({
  listExemptionRequests: list({
    path: '/exemption_requests',
    permission: 'read',
    summary: 'List requests for the exemption of issues',
    tag: 'Exemption requests',
    search: exemptionRequestSearch,
    record: ExemptionRequest,
  }),
  getExemptionRequest: json({
    method: 'GET',
    path: '/exemption_requests/:id',
    permission: 'read',
    summary: 'Read an exemption request',
    tag: 'Exemption requests',
    answer: ExemptionRequest,
  }),
  decideExemptionRequest: json({
    method: 'PATCH',
    path: '/exemption_requests/:id',
    permission: 'manage_user_requests',
    summary: 'Approve or deny an exemption request',
    description:
      'When approved, its issues stay open but no longer block. A request that was decided or withdrawn cannot be decided again.',
    tag: 'Exemption requests',
    body: ExemptionRequestDecision,
    answer: ExemptionRequest,
  }),
  listRegistrationRequests: list({
    path: '/registration_requests',
    permission: 'read',
    summary: 'List requests for the registration of devices',
    tag: 'Registration requests',
    search: registrationRequestSearch,
    record: RegistrationRequest,
  }),
  getRegistrationRequest: json({
    method: 'GET',
    path: '/registration_requests/:id',
    permission: 'read',
    summary: 'Read a registration request',
    tag: 'Registration requests',
    answer: RegistrationRequest,
  }),
  decideRegistrationRequest: json({
    method: 'PATCH',
    path: '/registration_requests/:id',
    permission: 'manage_user_requests',
    summary: 'Approve or deny a registration request',
    description:
      'When approved, the device is registered to the requester, even if someone else owned it. A decided request cannot be decided again.',
    tag: 'Registration requests',
    body: RegistrationRequestDecision,
    answer: RegistrationRequest,
  }),
})
