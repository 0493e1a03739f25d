import { isAuditAction } from '@muster/contract/audit-actions.ts'
import type { AuditView, AuditViewFilter } from '@muster/contract/console-records.ts'
import { sql } from 'kysely'
import { containsFolded, likeText, searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { beginOf } from './rules.ts'

const newestFirst: Keyset = { id: { column: 'audit_logs.id', type: 'bigint' }, direction: 'desc' }

function entriesOf(reader: Reader, organizationId: string, filter: AuditViewFilter, now: string) {
  const { actor_type: actorType, action, since, subject, about } = filter
  const pattern = searchPattern(filter.search)
  let query = reader.selectFrom('audit_logs').where(inOrganization('audit_logs', organizationId))
  if (actorType !== undefined) query = query.where('audit_logs.actor_type', '=', actorType)
  if (action !== undefined) query = query.where('audit_logs.action', '=', action)
  if (since !== undefined) query = query.where('audit_logs.timestamp', '>=', beginOf(since, now))
  const name = `"${about ?? ''}"`
  const isNamed = sql<boolean>`(${containsFolded('audit_logs.description', name)}
    and audit_logs.description like ${`%${likeText(name)}%`})`
  const isSubject = sql<boolean>`audit_logs.about @> array[${subject ?? ''}::text]`
  if (subject === undefined && about !== undefined) query = query.where(isNamed)
  if (subject !== undefined && about === undefined) query = query.where(isSubject)
  if (subject !== undefined && about !== undefined) {
    query = query.where(sql<boolean>`(${isSubject} or (audit_logs.about is null and ${isNamed}))`)
  }
  if (pattern === undefined) return query
  return query.where(
    sql<boolean>`(folded(audit_logs.description) like ${pattern} or folded(audit_logs.actor_name) like ${pattern})`,
  )
}

const shown = [
  'id',
  'timestamp',
  'actor_type',
  'actor_name',
  'actor_email',
  'ip_address',
  'action',
  'changes',
  'description',
] as const
const proof = ['hash', 'previous_hash'] as const

type AuditRow = Awaited<ReturnType<typeof listAuditViews>>[number]

export const listAuditViews = (reader: Reader, page: ListPage, filter: AuditViewFilter) =>
  entriesOf(reader, page.organizationId, filter, page.now)
    .select([...shown, ...proof])
    .$call(nextRows(newestFirst, page.after, page.limit))
    .execute()

export const findAuditView = (reader: Reader, organizationId: string, id: string) =>
  reader
    .selectFrom('audit_logs')
    .select([...shown, ...proof])
    .where(inOrganization('audit_logs', organizationId))
    .where('id', '=', id)
    .executeTakeFirst()

export const countAuditViews = (reader: Reader, organizationId: string, filter: AuditViewFilter, now: string) =>
  entriesOf(reader, organizationId, filter, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()

export const presentAuditView = (row: AuditRow): AuditView => ({
  id: row.id,
  timestamp: row.timestamp,
  actor_name: row.actor_name,
  description: row.description,
  actor_info: { actor_name: row.actor_name, actor_email: row.actor_email, actor_type: row.actor_type },
  action: row.action !== null && isAuditAction(row.action) ? row.action : null,
  changes: [...(row.changes ?? [])],
  ip_address: row.ip_address,
  hash: row.hash.toString('hex'),
  previous_hash: row.previous_hash.toString('hex'),
})
