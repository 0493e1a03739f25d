import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'
import { jobsSchema } from './queue-defaults.ts'

const schedules = `${jobsSchema}.schedule`

/** Whether jobs are scheduled, which the first worker of a deployment does for good. */
export async function hasJobSchedules(db: Db): Promise<boolean> {
  const table = await sql<{ isThere: boolean }>`select to_regclass(${schedules}) is not null as "isThere"`.execute(db)
  if (table.rows[0]?.isThere !== true) return false
  const found = await sql<{ isAny: boolean }>`select exists (select from ${sql.table(schedules)}) as "isAny"`.execute(
    db,
  )
  return found.rows[0]?.isAny === true
}
