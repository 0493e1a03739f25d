import type { Db } from '../db/transact.ts'
import { keptMs } from '../retention.ts'
import { plusMs } from './rules.ts'

const dayMs = 86_400_000

/** Removes sessions and links that ended a month ago, and failures that count no more. What happened is in the audit log. */
export async function tendConsoleAccess(db: Db, now: string): Promise<void> {
  const endedBefore = plusMs(now, -keptMs.adminSessions)
  await db.deleteFrom('admin_sessions').where('created_at', '<', endedBefore).execute()
  await db.deleteFrom('admin_session_windows').where('started_at', '<', plusMs(now, -dayMs)).execute()
  await db.deleteFrom('admin_links').where('expires_at', '<', endedBefore).execute()
  await db.deleteFrom('used_passkey_challenges').where('expires_at', '<', now).execute()
  await db.deleteFrom('sign_in_throttles').where('last_failed_at', '<', plusMs(now, -dayMs)).execute()
}
