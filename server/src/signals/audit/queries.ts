import type { AuditAction } from '@muster/contract/audit-actions.ts'
import type { auditLogSearch } from '@muster/contract/audit-logs.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'
import { type Subjects, subjectKeys } from './subjects.ts'

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

/** The cause of the latest entry that has the action and is about all of the records; undefined where none is known. */
export async function findCause(
  reader: Reader,
  organizationId: string,
  { action, about }: { action: AuditAction; about: Subjects },
): Promise<{ cause: string; requestId: string | null } | undefined> {
  const entry = await reader
    .selectFrom('audit_logs')
    .select(['cause', 'request_id'])
    .where(inOrganization('audit_logs', organizationId))
    .where('action', '=', action)
    .where(isAbout(about))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return entry?.cause == null ? undefined : { cause: entry.cause, requestId: entry.request_id }
}

const isAbout = (about: Subjects) => sql<boolean>`about @> ${subjectKeys(about)}::text[]`

/** Whether an entry later than `moment` has the action and is about all of the records. */
export async function isRecordedSince(
  reader: Reader,
  organizationId: string,
  { action, about }: { action: AuditAction; about: Subjects },
  moment: string,
): Promise<boolean> {
  const entry = await reader
    .selectFrom('audit_logs')
    .select('id')
    .where(inOrganization('audit_logs', organizationId))
    .where('action', '=', action)
    .where('timestamp', '>', moment)
    .where(isAbout(about))
    .limit(1)
    .executeTakeFirst()
  return entry !== undefined
}
