import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

const rowsPerBatch = 5_000

/** Removes what happened before a moment, in batches; returns how many. */
export async function dropOldEvents(db: Db, before: string): Promise<number> {
  let dropped = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      delete from events where (organization_id, id) in (
        select organization_id, id from events where occurred_at < ${before}::timestamptz
        order by occurred_at limit ${rowsPerBatch}
      )
    `.execute(db)
    dropped += Number(numAffectedRows)
    if (numAffectedRows < rowsPerBatch) return dropped
  }
}
