import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { limits } from '../sessions/session-rules.ts'

/**
 * Drops what the OpenID providers of all organizations no longer need: a code says for a while after its end whether it was
 * redeemed, by which a loop is told. Returns how many records those were.
 */
export async function dropExpiredRecords(db: Db, now: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from oidc_records where expires_at <= ${plusMs(now, -limits.loopMs)}::timestamptz`.execute(db)
  return Number(numAffectedRows ?? 0)
}
