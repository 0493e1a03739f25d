import { auditLogOperations } from '@muster/contract/operations/audit-logs.ts'
import type { FastifyInstance } from 'fastify'
import { orNotFound } from '../../base/errors.ts'
import { endpoint } from '../../http/endpoint.ts'
import { listEndpoint } from '../../http/list-endpoint.ts'
import { presentAuditLog } from './present.ts'
import { findAuditLog, listAuditLogs } from './queries.ts'

export function auditRoutes(app: FastifyInstance): void {
  listEndpoint(app, {
    ...auditLogOperations.listAuditLogs,
    order: 'descending',
    list: listAuditLogs,
    present: presentAuditLog,
  })

  endpoint(app, {
    ...auditLogOperations.getAuditLog,
    run: async ({ db, organizationId, params }) =>
      presentAuditLog(orNotFound(await findAuditLog(db, organizationId, params.id))),
  })
}
