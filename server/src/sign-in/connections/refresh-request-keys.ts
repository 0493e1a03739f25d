import { systemChange } from '../../base/change-context.ts'
import type { Clock } from '../../base/clock.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { limitConcurrency } from '../../base/jobs/limit-concurrency.ts'
import type { UpstreamEgress } from '../egress/upstream-egress.ts'
import { changeConnection, lockConnection } from './change-connection.ts'
import { readKeysAt } from './read-keys-at.ts'
import type { RequestKey } from './read-request-keys.ts'

type Parts = {
  db: Db
  egress: UpstreamEgress
  clock: Clock
  /** Of keys that could not be read. */
  warn: (facts: object, text: string) => void
}

const organizationsAtOnce = 8
/** An organization whose addresses hang is left after this until the next time. */
const organizationMs = 60_000

/**
 * Reads the keys again that callers publish at an address of theirs, and keeps those that are new. Where none can be read, those
 * of before stay in use. Organizations are read beside each other, and each for a minute at most.
 */
export async function refreshRequestKeys(parts: Parts, signal: AbortSignal): Promise<void> {
  const byOrganization = Map.groupBy(await listPublished(parts.db), ({ organization_id: id }) => id)
  const inTurn = limitConcurrency(organizationsAtOnce)
  await Promise.all([...byOrganization.values()].map((published) => inTurn(() => refreshAll(parts, published, signal))))
}

type Published = Awaited<ReturnType<typeof listPublished>>[number]

async function refreshAll(parts: Parts, published: readonly Published[], signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + organizationMs
  // Those that are not reached this time are not always the same.
  const shuffled = published.map((one) => ({ one, at: Math.random() })).toSorted((a, b) => a.at - b.at)
  for (const { one } of shuffled) {
    if (signal.aborted || performance.now() > endsAt) return
    await refreshOne(parts, one).catch((error: unknown) => {
      const { organization_id: organizationId, id: connectionId } = one
      parts.warn({ err: error, organizationId, connectionId }, 'The keys of a caller could not be read again')
    })
  }
}

async function refreshOne({ db, egress, clock }: Parts, { url, algorithm, ...place }: Published): Promise<void> {
  const keys = await readKeysAt(egress, url, algorithm)
  await transact(db, (tx) => keepKeys(tx, { ...place, url, keys }, clock()))
}

type Read = { organization_id: string; id: string; url: string; keys: RequestKey[] }

/** Nothing where the connection reads them elsewhere by now. */
async function keepKeys(tx: Tx, { organization_id: organizationId, id, url, keys }: Read, now: string) {
  const { request_keys_url: current } = await lockConnection(tx, organizationId, id)
  if (current !== url) return
  await changeConnection(tx, { id, requestKeys: keys, requestKeysUrl: url }, systemChange(organizationId, now))
}

async function listPublished(db: Db) {
  const rows = await db
    .selectFrom('signin_connections')
    .select(['organization_id', 'id', 'request_keys_url as url', 'request_algorithm as algorithm'])
    .where('request_keys_url', 'is not', null)
    .execute()
  return rows.flatMap(({ url, ...row }) => (url === null ? [] : [{ ...row, url }]))
}
