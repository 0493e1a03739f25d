import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** Removes the figures of days before a moment's, and which device stood how on days before another's. */
export async function dropOldDays(db: Db, { figures, devices }: { figures: string; devices: string }): Promise<void> {
  const day = figures.slice(0, 10)
  await sql`delete from check_days where day < ${day}::date`.execute(db)
  await sql`delete from compliance_days where day < ${day}::date`.execute(db)
  await sql`delete from device_standings where until_day <= ${devices.slice(0, 10)}::date`.execute(db)
}
