import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { oldBefore } from '../../base/retention.ts'

const rowsPerBatch = 1_000

/** Removes what is kept no longer, in batches and organization by organization; returns how many. */
export async function dropOldAuthLogs(db: Db, now: string): Promise<number> {
  let dropped = 0
  const organizations = await db.selectFrom('organizations').select('id').orderBy('id').execute()
  for (const { id } of organizations) {
    const before = oldBefore('auth_logs', sql`${id}::bigint`, now)
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from auth_logs where organization_id = ${id}::bigint and id in (
          select id from auth_logs where organization_id = ${id}::bigint and started_at < ${before}
          order by started_at limit ${rowsPerBatch}
        )
      `.execute(db)
      dropped += Number(numAffectedRows)
      if (numAffectedRows < rowsPerBatch) break
    }
  }
  return dropped
}
