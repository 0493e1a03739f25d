import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { keptMs } from '../../base/retention.ts'
import { dayMs, hourMs, plusMs } from '../../base/time.ts'

/** Removes sessions and links that ended a month ago, and failures that count no more. What happened is in the audit log. */
export async function runConsoleAccessRetention(db: Db, now: string): Promise<void> {
  const endedBefore = plusMs(now, -keptMs.adminSessions)
  await db.deleteFrom('admin_sessions').where('created_at', '<', endedBefore).execute()
  await db.deleteFrom('admin_session_windows').where('started_at', '<', plusMs(now, -dayMs)).execute()
  await db.deleteFrom('admin_links').where('expires_at', '<', endedBefore).execute()
  await db.deleteFrom('used_passkey_challenges').where('expires_at', '<', now).execute()
  // No rule takes longer than an hour to forget one failure.
  await sql`
    delete from sign_in_throttles
    where last_failed_at < ${plusMs(now, -hourMs)}::timestamptz
      and last_failed_at < ${now}::timestamptz - least(failures, 24) * interval '1 hour'`.execute(db)
}
