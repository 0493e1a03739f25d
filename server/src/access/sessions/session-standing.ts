import { sql } from 'kysely'
import type { AdmittedSession } from '../../base/callers.ts'
import type { Db } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { clockToleranceMs, plusMs } from '../../base/time.ts'
import { leaverOf } from '../../inventory/people/leaver-of.ts'
import { needsSecondFactor } from './needs-second-factor.ts'
import { sessionIdleMs, sessionLifetimeMs } from './rules.ts'
import { sessionPurpose } from './start-session.ts'

type Found = { is_same: boolean; needs_second_factor: boolean; access: string; restrictions: readonly string[] }

/**
 * How a session stands now. `changed` when it continues, but otherwise than it was let in: under another secret since its
 * holder has proved again who they are, with other rights, or not before a second factor is set up. Asking counts as no
 * request of it and does not prolong it.
 */
export async function sessionStanding(
  { db, secrets }: { db: Db; secrets: Secrets },
  admitted: AdmittedSession,
  { secret, now }: { secret: string; now: string },
): Promise<'open' | 'changed' | 'ended'> {
  const { rows } = await sql<Found>`
    select lookup.lookup_hash = ${secrets.lookupHash(sessionPurpose, secret)} as is_same,
      ${needsSecondFactor} as needs_second_factor, admin.access, admin.restrictions
    from admin_sessions as session
    join admin_session_lookups as lookup on lookup.organization_id = session.organization_id
      and lookup.admin_session_id = session.id
    join admin_users as admin on admin.organization_id = session.organization_id and admin.id = session.admin_user_id
    left join organization_settings as settings on settings.organization_id = session.organization_id
    where session.organization_id = ${admitted.organization_id}::bigint
      and session.id = ${admitted.session_id}::bigint
      and session.ended_at is null
      and session.created_at > ${plusMs(now, -sessionLifetimeMs)}::timestamptz
      and session.created_at <= ${plusMs(now, clockToleranceMs)}::timestamptz
      and session.last_seen_at > ${plusMs(now, -sessionIdleMs)}::timestamptz
      and ${leaverOf('admin')} is null`.execute(db)
  const [row] = rows
  if (!row) return 'ended'
  const isAsAdmitted = row.is_same && !row.needs_second_factor && rightsOf(row) === rightsOf(admitted)
  return isAsAdmitted ? 'open' : 'changed'
}

const rightsOf = ({ access, restrictions }: Pick<Found, 'access' | 'restrictions'>) =>
  [access, ...restrictions].join(' ')
