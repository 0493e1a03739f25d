import { AuditLog, auditLogSearch } from '../audit-logs.ts'
import { defineOperations, json, list } from './define-operations.ts'

export const auditLogOperations = defineOperations({
  listAuditLogs: list({
    path: '/audit_logs',
    permission: 'read',
    summary: 'List audit logs, newest first',
    tag: 'Audit logs',
    search: auditLogSearch,
    record: AuditLog,
  }),
  getAuditLog: json({
    method: 'GET',
    path: '/audit_logs/:id',
    permission: 'read',
    summary: 'Read an audit log',
    tag: 'Audit logs',
    answer: AuditLog,
  }),
})
