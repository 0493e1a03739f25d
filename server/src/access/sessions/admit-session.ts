import { sql } from 'kysely'
import type { AdmittedSession } from '../../base/callers.ts'
import type { RequestSource } from '../../base/change-context.ts'
import type { Db } from '../../base/db/transact.ts'
import { clockToleranceMs, plusMs } from '../../base/time.ts'
import { leaverOf } from '../../inventory/people/leaver-of.ts'
import { needsSecondFactor } from './needs-second-factor.ts'
import { sessionIdleMs, sessionLifetimeMs } from './rules.ts'

/**
 * Finds the session of a look-up hash and counts a request of it, in one statement and exact across processes: what was
 * revoked or removed, or whose holder was deprovisioned, is none from the next request on. When it was seen is written once a minute,
 * unless the page refreshes automatically.
 */
export async function admitSession(
  db: Db,
  lookupHash: Buffer,
  { now, isBackground, source }: { now: string; isBackground: boolean; source: RequestSource },
): Promise<AdmittedSession | undefined> {
  const { rows } = await sql<Omit<AdmittedSession, 'source'>>`
    with known as (
      select session.organization_id, organizations.name as organization_name, organizations.disabled_features,
        session.id as session_id, session.created_at, session.verified_at,
        admin.id as admin_user_id, admin.first_name, admin.last_name, admin.email, admin.access, admin.restrictions,
        session.method, ${needsSecondFactor} as needs_second_factor
      from admin_session_lookups as lookup
      join admin_sessions as session on session.organization_id = lookup.organization_id
        and session.id = lookup.admin_session_id and session.ended_at is null
        and session.created_at > ${plusMs(now, -sessionLifetimeMs)}::timestamptz
        and session.created_at <= ${plusMs(now, clockToleranceMs)}::timestamptz
        and session.last_seen_at > ${plusMs(now, -sessionIdleMs)}::timestamptz
      join admin_users as admin on admin.organization_id = session.organization_id and admin.id = session.admin_user_id
      join organizations on organizations.id = session.organization_id
      left join organization_settings as settings on settings.organization_id = session.organization_id
      where lookup.lookup_hash = ${lookupHash} and ${leaverOf('admin')} is null
    ), counted as (
      insert into admin_session_windows as counting (organization_id, admin_session_id, started_at, used)
      select organization_id, session_id, date_trunc('milliseconds', now()), 1 from known
      on conflict on constraint admin_session_windows_pkey do update set
        started_at = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then excluded.started_at else counting.started_at end,
        used = case when counting.started_at + interval '1 minute' <= now()
          or counting.started_at > now() + interval '1 minute'
          then 1 else least(counting.used + 1, 1000000000) end
      returning used, ceil(1000 * extract(epoch from started_at + interval '1 minute' - now()))::integer
        as milliseconds_left
    ), noted as (
      update admin_sessions set last_seen_at = ${now}::timestamptz from known
      where admin_sessions.organization_id = known.organization_id and admin_sessions.id = known.session_id
        and admin_sessions.last_seen_at < ${now}::timestamptz - interval '1 minute' and not ${isBackground}::boolean
    )
    select known.*, counted.used, counted.milliseconds_left from known, counted`.execute(db)
  const [row] = rows
  return row && { ...row, source }
}
