import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { plusMs, sessionIdleMs, sessionLifetimeMs } from './rules.ts'
import { sessionPurpose } from './start-session.ts'

/** Whether the session of a cookie would be let in now; asking counts as no request of it and does not prolong it. */
export async function isSessionOpen(
  { db, secrets }: { db: Db; secrets: Secrets },
  secret: string,
  now: string,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from admin_session_lookups as lookup
    join admin_sessions as session on session.organization_id = lookup.organization_id
      and session.id = lookup.admin_session_id and session.ended_at is null
      and session.created_at > ${plusMs(now, -sessionLifetimeMs)}::timestamptz
      and session.last_seen_at > ${plusMs(now, -sessionIdleMs)}::timestamptz
    where lookup.lookup_hash = ${secrets.lookupHash(sessionPurpose, secret)}`.execute(db)
  return rows.length > 0
}
