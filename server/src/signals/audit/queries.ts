import type { auditLogSearch } from '@muster/contract/audit-logs.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import { afterCursor, inKeysetOrder, type Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { type SearchColumns, whereSearch } from '../../base/lists/where-search.ts'

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

export const listAuditLogs = compileList((reader, { organizationId, search, after, limit }: ListPage) =>
  fromAuditLogs(reader, organizationId)
    .$if(search !== undefined, (query) => query.where(whereSearch(search ?? [], searchColumns)))
    .where(afterCursor(newestFirst, after === undefined ? undefined : [after]))
    .$call(inKeysetOrder(newestFirst))
    .limit(sql.lit(limit)),
)

export const findAuditLog = (reader: Reader, organizationId: string, id: string) =>
  fromAuditLogs(reader, organizationId).where('id', '=', id).executeTakeFirst()
