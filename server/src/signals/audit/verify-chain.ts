import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ChainHead } from './chain-head.ts'
import { hashEntry } from './hash-entry.ts'
import { firstHash } from './record-audit.ts'

type Verification = {
  organizationId: string
  /** Exported earlier: without it, a chain that was computed again from some entry on is not told from the true one. */
  head?: Pick<ChainHead, 'lastId' | 'hash' | 'count'> | undefined
  /** Checked between batches. */
  signal?: AbortSignal | undefined
  /** Entries held in memory at a time. */
  batch?: number
}

export type Verdict =
  | { isIntact: true; count: number; lastId: string; hash: string }
  /** `entry` is the first at which the chain does not hold; null where it ends too early. */
  | { isIntact: false; entry: Entry | null; fault: string }

type Entry = Awaited<ReturnType<typeof readEntries>>[number]
type Position = { lastId: string; hash: Buffer; count: number; isHeadReached: boolean }

/**
 * Walks an organization's audit log from its first entry to its last, in batches, while others continue writing it. Every
 * entry must be as it was written and follow the one before, and the last must be the one that the database notes.
 */
export async function verifyChain(reader: Reader, verification: Verification): Promise<Verdict> {
  const { organizationId, head, signal, batch = 1_000 } = verification
  const at: Position = { lastId: '0', hash: firstHash, count: 0, isHeadReached: false }
  at.isHeadReached = head === undefined || isHead(head, at)
  for (;;) {
    signal?.throwIfAborted()
    let entries = await readEntries(reader, organizationId, at, batch)
    let noted: NotedHead | undefined
    if (entries.length === 0) {
      noted = await readNotedHead(reader, organizationId)
      // What was written between the two reads is there now, so that a head which is ahead of the entries is a fault.
      entries = await readEntries(reader, organizationId, at, batch)
    }
    if (entries.length === 0) return verdictAtEnd(at, noted, head)
    for (const entry of entries) {
      const fault = faultOf(entry, at, head)
      if (fault !== undefined) return { isIntact: false, entry, fault }
      at.lastId = entry.id
      at.hash = entry.hash
      at.count += 1
      at.isHeadReached ||= entry.id === head?.lastId
    }
  }
}

function faultOf(entry: Entry, at: Position, head: Verification['head']): string | undefined {
  if (!entry.previous_hash.equals(at.hash)) {
    return 'does not follow the one before: an entry was removed, added or changed, or the order is another'
  }
  if (!hashEntry(entry.previous_hash, entry).equals(entry.hash)) return 'is not as it was written'
  if (head === undefined || at.isHeadReached) return undefined
  if (entry.id === head.lastId) {
    const isSame = isHead(head, { lastId: entry.id, hash: entry.hash, count: at.count + 1 })
    return isSame ? undefined : 'is not the one that was exported: the log up to it was written again'
  }
  return BigInt(entry.id) > BigInt(head.lastId)
    ? `stands where the exported entry ${head.lastId} is missing: the log was written again`
    : undefined
}

function verdictAtEnd(at: Position, noted: NotedHead | undefined, head: Verification['head']): Verdict {
  const end = at.count === 0 ? 'The log is empty' : `The log ends with entry ${at.lastId}`
  const faulty = (fault: string): Verdict => ({ isIntact: false, entry: null, fault })
  if (!at.isHeadReached) {
    return faulty(`${end}, before the exported entry ${head?.lastId}: entries were removed from its end`)
  }
  const [lastId, hash] = noted ? [noted.last_id, noted.last_hash] : ['0', firstHash]
  if (lastId !== at.lastId || !hash.equals(at.hash)) {
    return faulty(`${end}, but the last one written was entry ${lastId}: entries were removed from its end, or added`)
  }
  return { isIntact: true, count: at.count, lastId: at.lastId, hash: at.hash.toString('hex') }
}

const isHead = (head: NonNullable<Verification['head']>, at: Pick<Position, 'lastId' | 'hash' | 'count'>): boolean =>
  head.lastId === at.lastId && head.hash === at.hash.toString('hex') && head.count === at.count

type NotedHead = { last_id: string; last_hash: Buffer }

const readNotedHead = (reader: Reader, organizationId: string): Promise<NotedHead | undefined> =>
  reader
    .selectFrom('audit_heads')
    .select(['last_id', 'last_hash'])
    .where(inOrganization('audit_heads', organizationId))
    .executeTakeFirst()

/** From the very first without `after`: an entry that was added may have an identifier below the ones we give. */
const readEntries = (reader: Reader, organizationId: string, after: Position, limit: number) =>
  reader
    .selectFrom('audit_logs')
    .selectAll()
    .where(inOrganization('audit_logs', organizationId))
    .$if(after.count > 0, (query) => query.where('id', '>', after.lastId))
    .orderBy('id')
    .limit(sql.lit(limit))
    .execute()
