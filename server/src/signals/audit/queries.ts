import type { auditLogSearch } from '@muster/contract/audit-logs.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  timestamp: { column: 'audit_logs.timestamp', type: 'timestamptz' },
  actor_name: { column: 'audit_logs.actor_name', type: 'text' },
  description: { column: 'audit_logs.description', type: 'text' },
} satisfies SearchColumns<typeof auditLogSearch>

const newestFirst: Keyset = { id: { column: 'audit_logs.id', type: 'bigint' }, direction: 'desc' }

const fromAuditLogs = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('audit_logs')
    .select(['id', 'timestamp', 'actor_type', 'actor_name', 'actor_email', 'description'])
    .where(inOrganization('audit_logs', organizationId))

export type AuditLogRow = Awaited<ReturnType<typeof listAuditLogs>>[number]

export const listAuditLogs = compileList((reader, page: ListPage) =>
  fromAuditLogs(reader, page.organizationId).$call(onPage(page, newestFirst, searchColumns)),
)

export const findAuditLog = (reader: Reader, organizationId: string, id: string) =>
  fromAuditLogs(reader, organizationId).where('id', '=', id).executeTakeFirst()
