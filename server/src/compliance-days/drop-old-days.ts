import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'

/** Removes the figures of days before a moment's. */
export async function dropOldDays(db: Db, before: string): Promise<void> {
  const day = before.slice(0, 10)
  await sql`delete from check_days where day < ${day}::date`.execute(db)
  await sql`delete from compliance_days where day < ${day}::date`.execute(db)
}
