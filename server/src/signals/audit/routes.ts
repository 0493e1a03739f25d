import { AuditLog, auditLogSearch } from '@muster/contract/audit-logs.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAuditLog } from './present.ts'
import { findAuditLog, listAuditLogs } from './queries.ts'

const tag = 'Audit logs'

export function auditRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    path: '/audit_logs',
    operationId: 'listAuditLogs',
    summary: 'List audit logs, newest first',
    tag,
    record: AuditLog,
    search: auditLogSearch,
    order: 'descending',
    list: listAuditLogs,
    present: presentAuditLog,
  })

  endpoint(app, {
    method: 'GET',
    path: '/audit_logs/:id',
    operationId: 'getAuditLog',
    summary: 'Read an audit log',
    tag,
    permission: 'read',
    answer: AuditLog,
    run: async ({ db, organizationId, params }) =>
      presentAuditLog(orNotFound(await findAuditLog(db, organizationId, params.id))),
  })
}
