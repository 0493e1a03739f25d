import { AuditChain } from '../console-audit.ts'
import { MovedDevice } from '../console-devices.ts'
import {
  AuditView,
  AuditViewFilter,
  PersonDetail,
  PersonView,
  PersonViewFilter,
  SignInView,
  SignInViewFilter,
} from '../console-records.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const recordViewOperations = defineOperations({
  listPersonViews: list({
    path: '/views/people',
    permission: 'read',
    summary: 'List people with their devices',
    tag: 'Console',
    options: PersonViewFilter,
    record: PersonView,
    hasCsv: true,
    hasCount: true,
  }),
  getPersonView: json({
    method: 'GET',
    path: '/views/people/:id',
    permission: 'read',
    summary: 'Read whether a person is deprovisioned, provided by SCIM or an administrator',
    tag: 'Console',
    answer: PersonDetail,
  }),
  listSignInViews: list({
    path: '/views/sign_ins',
    permission: 'read',
    summary: 'List sign-ins, newest first',
    tag: 'Console',
    options: SignInViewFilter,
    record: SignInView,
    hasCsv: true,
    hasCount: true,
  }),
  listAuditViews: list({
    path: '/views/audit_logs',
    permission: 'read',
    summary: 'List entries of the audit log, newest first',
    tag: 'Console',
    options: AuditViewFilter,
    record: AuditView,
    hasCsv: true,
    hasCount: true,
  }),
  getAuditView: json({
    method: 'GET',
    path: '/views/audit_logs/:id',
    permission: 'read',
    summary: 'Read an entry of the audit log with its hashes',
    tag: 'Console',
    answer: AuditView,
  }),
  listMovedDevices: list({
    path: '/views/audit_logs/:entryId/devices',
    permission: 'read',
    summary: 'List the devices whose state an entry of the audit log changed within the last 30 days, newest first',
    tag: 'Console',
    record: MovedDevice,
    hasCount: true,
  }),
  getAuditChain: json({
    method: 'GET',
    path: '/views/audit_chain',
    permission: 'read',
    summary: 'Read whether the audit log is intact, and when it was verified',
    tag: 'Console',
    answer: AuditChain,
  }),
  verifyAuditChain: json({
    method: 'POST',
    path: '/audit_chain/verify',
    permission: 'read',
    summary: 'Verify the audit log in the background',
    tag: 'Console',
  }),
})
