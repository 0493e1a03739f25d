import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { limits } from '../sessions/session-rules.ts'

export type Watched = { organizationId: string; id: string }

/** The page is told that the time is nearly over at this moment, and once more when it is. */
const warnMs = 20_000

/**
 * What stands for all that the pages of these sign-ins show, by one statement for all of them: another text means that a
 * page has something to read again.
 */
export async function readMarks(db: Db, watched: readonly Watched[], now: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; mark: string }>`
    select session.id, concat_ws('/', session.revision,
      session.waits_until > ${plusMs(now, warnMs)}::timestamptz, session.waits_until > ${now}::timestamptz,
      connection.mode, connection.paused_until > ${now}::timestamptz,
      session.evaluating_since > ${plusMs(now, -limits.evaluatingMs)}::timestamptz,
      session.rechecked_at > ${plusMs(now, -limits.recheckMs)}::timestamptz,
      person.deprovisioned_at, device.auth_state, device.registered_owner_id, device.registration_suspended_at, device.deleted_at,
      (select max(key.confirmed_at) from companion_keys as key
        where key.organization_id = device.organization_id and key.device_id = device.id
          and device.registration_suspended_at is not null),
      (select concat(count(*), '.', max(issue.id), '.', max(issue.blocks_device_at)) from issues as issue
        where issue.organization_id = session.organization_id and issue.device_id = session.device_id
          and issue.resolved_at is null and not issue.exempted),
      (select count(*) from check_refreshes as refresh
        where refresh.organization_id = session.organization_id and refresh.device_id = session.device_id),
      (select concat(max(request.id), '.', max(request.decided_at)) from registration_requests as request
        where request.organization_id = session.organization_id and request.device_id = session.device_id),
      (select concat(max(request.id), '.', max(request.decided_at)) from exemption_requests as request
        where request.organization_id = session.organization_id and request.device_id = session.device_id)) as mark
    from unnest(${watched.map((one) => one.organizationId)}::bigint[], ${watched.map((one) => one.id)}::text[])
      as watched (organization_id, id)
    join signin_sessions as session
      on session.organization_id = watched.organization_id and session.id = watched.id
    join signin_connections as connection
      on connection.organization_id = session.organization_id and connection.id = session.connection_id
    left join people as person
      on person.organization_id = session.organization_id and person.id = session.person_id
    left join devices as device
      on device.organization_id = session.organization_id and device.id = session.device_id`.execute(db)
  return new Map(rows.map(({ id, mark }) => [id, shortened(mark)]))
}

/** The mark itself says more than the page may know. */
const shortened = (mark: string): string => createHash('sha256').update(mark).digest('base64url').slice(0, 16)
