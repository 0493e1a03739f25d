import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { keptMs } from '../../base/retention.ts'
import { plusMs } from '../../base/time.ts'

const keysPerBatch = 1_000

/**
 * Drops keys that were never linked and enrolled too long ago, of all organizations and in batches; returns how many. Their
 * look-ups go with them. A companion whose key has gone enrolls again by itself.
 */
export async function dropUnlinkedKeys(db: Db, now: string): Promise<number> {
  const enrolledBefore = plusMs(now, -keptMs.unlinkedCompanionKeys)
  for (let dropped = 0; ; ) {
    // A key that is linked or enrolls at this moment is passed by.
    const { numAffectedRows = 0n } = await sql`
      with old as (
        select organization_id, kid from companion_keys
        where linked_at is null and enrolled_at < ${enrolledBefore}::timestamptz
        limit ${sql.lit(keysPerBatch)}
        for update skip locked
      )
      delete from companion_keys as key using old
      where key.organization_id = old.organization_id and key.kid = old.kid`.execute(db)
    dropped += Number(numAffectedRows)
    if (numAffectedRows < keysPerBatch) return dropped
  }
}
