import { sql } from 'kysely'
import type { Db } from '../db/transact.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { AdmittedSession } from './admit-session.ts'
import { plusMs, sessionIdleMs, sessionLifetimeMs } from './rules.ts'
import { sessionPurpose } from './start-session.ts'

/**
 * How a session stands now: `renewed` when it goes on under another secret, since its holder has proved anew who they
 * are. Asking counts as no request of it and does not prolong it.
 */
export async function sessionStanding(
  { db, secrets }: { db: Db; secrets: Secrets },
  { organization_id: organizationId, session_id: sessionId }: AdmittedSession,
  { secret, now }: { secret: string; now: string },
): Promise<'open' | 'renewed' | 'ended'> {
  const { rows } = await sql<{ is_same: boolean }>`
    select lookup.lookup_hash = ${secrets.lookupHash(sessionPurpose, secret)} as is_same
    from admin_sessions as session
    join admin_session_lookups as lookup on lookup.organization_id = session.organization_id
      and lookup.admin_session_id = session.id
    where session.organization_id = ${organizationId}::bigint and session.id = ${sessionId}::bigint
      and session.ended_at is null
      and session.created_at > ${plusMs(now, -sessionLifetimeMs)}::timestamptz
      and session.last_seen_at > ${plusMs(now, -sessionIdleMs)}::timestamptz`.execute(db)
  const [row] = rows
  if (!row) return 'ended'
  return row.is_same ? 'open' : 'renewed'
}
