import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'

/** Removes the notices that every process has read by now, or has given up on, in all organizations. */
export async function purgeAgentNotices(db: Db, createdBefore: string): Promise<void> {
  await sql`delete from agent_notices where created_at < ${createdBefore}::timestamptz`.execute(db)
}
