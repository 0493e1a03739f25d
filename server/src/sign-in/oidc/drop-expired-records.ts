import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** Drops what the OpenID providers of all organizations no longer need. Returns how many records those were. */
export async function dropExpiredRecords(db: Db, now: string): Promise<number> {
  const { numAffectedRows } = await sql`delete from oidc_records where expires_at <= ${now}::timestamptz`.execute(db)
  return Number(numAffectedRows ?? 0)
}
