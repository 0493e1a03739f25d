import { createHash } from 'node:crypto'
import type { AuditChange } from '@muster/contract/audit-changes.ts'

/** What the hash of an entry covers, as stored: every column but the hashes. */
export type HashedEntry = {
  readonly id: string
  readonly organization_id: string
  readonly timestamp: string
  readonly actor_type: string
  readonly actor_id: string | null
  readonly actor_name: string
  readonly actor_email: string | null
  readonly ip_address: string | null
  readonly description: string
  /** Null in entries from before it was kept. */
  readonly about: readonly string[] | null
  /** Null in entries from before it was kept. */
  readonly action: string | null
  readonly changes: readonly AuditChange[] | null
}

/**
 * SHA-256 of the hash before and the entry as JSON, members in this order. Entries from before `about`, or `action` and
 * `changes`, were kept have fewer members, so that they are as they were written, and none can be added to them or taken
 * from others.
 */
export function hashEntry(previousHash: Buffer, entry: HashedEntry): Buffer {
  const canonical = JSON.stringify([
    entry.id,
    entry.organization_id,
    entry.timestamp,
    entry.actor_type,
    entry.actor_id,
    entry.actor_name,
    entry.actor_email,
    entry.ip_address,
    entry.description,
    ...(entry.about === null ? [] : [entry.about]),
    ...(entry.action === null && entry.changes === null ? [] : [entry.action, sorted(entry.changes)]),
  ])
  return createHash('sha256').update(previousHash).update(canonical).digest()
}

/** The database keeps the members of an object in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const)
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
}
