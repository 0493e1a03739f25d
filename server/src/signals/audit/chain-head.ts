import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { firstHash } from './record-audit.ts'

/** Where a chain ends. Kept outside of the database, it tells later whether what led up to it is still the same. */
export type ChainHead = {
  organizationId: string
  /** `0` before the first entry. */
  lastId: string
  /** Hex. */
  hash: string
  /** Entries up to the last. */
  count: number
}

/** The head as it is stored, with the entries up to it counted in the same moment. */
export async function readChainHead(reader: Reader, organizationId: string): Promise<ChainHead> {
  const stored = await reader
    .selectFrom('audit_heads')
    .select((head) => [
      'last_id',
      'last_hash',
      head
        .selectFrom('audit_logs')
        .select(sql<string>`count(*)`.as('count'))
        .whereRef('audit_logs.organization_id', '=', 'audit_heads.organization_id')
        .whereRef('audit_logs.id', '<=', 'audit_heads.last_id')
        .as('count'),
    ])
    .where(inOrganization('audit_heads', organizationId))
    .executeTakeFirst()
  return {
    organizationId,
    lastId: stored?.last_id ?? '0',
    hash: (stored?.last_hash ?? firstHash).toString('hex'),
    count: Number(stored?.count ?? 0),
  }
}
