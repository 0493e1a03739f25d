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
  /** Null in entries from before it was kept; every later one has a cause. */
  readonly cause: string | null
  /** Null where no request is behind the entry. */
  readonly request_id: string | null
}

/**
 * SHA-256 of the hash before and the entry as JSON, members in this order. Entries from before `cause` was kept have fewer
 * members, and those from before `about`, or `action` and `changes`, fewer still, so that they are as they were written, and
 * none can be added to them or taken from others. docs/audit-log.md describes the forms for whoever verifies by other means.
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
    ...laterMembers(entry),
  ])
  return createHash('sha256').update(previousHash).update(canonical).digest()
}

/** All five with a cause, so that no member of one form can be taken for that of another. */
function laterMembers({ about, action, changes, cause, request_id: requestId }: HashedEntry): unknown[] {
  if (cause !== null || requestId !== null) return [about, action, sorted(changes), cause, requestId]
  return [...(about === null ? [] : [about]), ...(action === null && changes === null ? [] : [action, sorted(changes)])]
}

/** The database keeps the members of an object in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const)
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
}
