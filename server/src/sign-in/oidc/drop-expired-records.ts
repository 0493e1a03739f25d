import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'

/** For longer than a loop of an application is looked for, a code says whether it was redeemed. */
const keptMs = 3 * minuteMs

/** Drops what the OpenID providers of all organizations no longer need. Returns how many records those were. */
export async function dropExpiredRecords(db: Db, now: string): Promise<number> {
  const endedAt = plusMs(now, -keptMs)
  const { numAffectedRows } = await sql`
    delete from oidc_records where expires_at <= ${endedAt}::timestamptz`.execute(db)
  return Number(numAffectedRows ?? 0)
}
