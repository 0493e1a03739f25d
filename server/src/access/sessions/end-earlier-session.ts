import type { Browser } from '../../base/callers.ts'
import { newChange } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { endSessions } from './end-sessions.ts'
import { sessionIdleMs, sessionLifetimeMs } from './rules.ts'
import { sessionPurpose } from './start-session.ts'

/**
 * Ends the session that a browser had before someone signs in there again: its cookie is replaced, so nobody could end it
 * by signing out. It may be another administrator's.
 */
export async function endEarlierSession(
  tx: Tx,
  secrets: Secrets,
  { sessionSecret, source, now }: Pick<Browser, 'sessionSecret' | 'source'> & { now: string },
): Promise<void> {
  if (sessionSecret === undefined) return
  const earlier = await findOpenSession(tx, secrets.lookupHash(sessionPurpose, sessionSecret), now)
  if (!earlier) return
  const { organization_id: organizationId, session_id: sessionId, admin_user_id: id, email } = earlier
  if ((await endSessions(tx, { organizationId, adminUserId: id, sessionId, now })) === 0) return
  const name = `${earlier.first_name} ${earlier.last_name}`.trim()
  await recordAudit(
    tx,
    {
      action: 'administrator.signed_out',
      about: { administrator: id },
      description: 'Signed out of the console: someone signed in again with the same browser.',
    },
    newChange({ type: 'User', id, name, email, source }, organizationId, now),
  )
}

const findOpenSession = (tx: Tx, lookupHash: Buffer, now: string) =>
  tx
    .selectFrom('admin_session_lookups as lookup')
    .innerJoin('admin_sessions as session', (join) =>
      join
        .onRef('session.organization_id', '=', 'lookup.organization_id')
        .onRef('session.id', '=', 'lookup.admin_session_id'),
    )
    .innerJoin('admin_users as admin', (join) =>
      join
        .onRef('admin.organization_id', '=', 'session.organization_id')
        .onRef('admin.id', '=', 'session.admin_user_id'),
    )
    .select([
      'session.organization_id',
      'session.id as session_id',
      'session.admin_user_id',
      'admin.first_name',
      'admin.last_name',
      'admin.email',
    ])
    .where('lookup.lookup_hash', '=', lookupHash)
    .where('session.ended_at', 'is', null)
    .where('session.created_at', '>', plusMs(now, -sessionLifetimeMs))
    .where('session.last_seen_at', '>', plusMs(now, -sessionIdleMs))
    .executeTakeFirst()
