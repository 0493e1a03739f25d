import { createHash } from 'node:crypto'

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
}

/**
 * SHA-256 of the hash before and the entry as JSON, members in this order. An entry from before `about` was kept has one
 * member less, so that it is as it was written, and none can be added to it or taken from another.
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
  ])
  return createHash('sha256').update(previousHash).update(canonical).digest()
}
