import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { limits } from './session-rules.ts'

/** Drops the requests that are too old to be replayed. */
export async function dropSeenRequests(db: Db, now: string): Promise<void> {
  await sql`delete from signin_requests_seen where seen_at <= ${plusMs(now, -limits.requestMs)}::timestamptz`.execute(
    db,
  )
}

/**
 * Drops the sign-ins of all organizations in which nothing has happened for 30 minutes, and for 15 minutes where nobody is
 * vouched for. Their logs end by themselves.
 */
export async function dropIdleSessions(db: Db, now: string): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from signin_sessions where last_event_at <= ${plusMs(now, -limits.unvouchedMs)}::timestamptz
      and (evidence <> 'asserted' or last_event_at <= ${plusMs(now, -limits.idleMs)}::timestamptz)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
