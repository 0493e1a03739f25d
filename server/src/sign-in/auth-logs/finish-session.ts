import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { markDeviceAuthenticated } from '../../inventory/devices/mark-authenticated.ts'
import { markPersonAuthenticated } from '../../inventory/people/mark-authenticated.ts'
import { announce } from '../../signals/events/announce.ts'
import { newsOfSession } from './news-of-session.ts'
import { overSince } from './rules.ts'

/**
 * Notes that the person got in, on device and person as well, and announces it. `word` says what was waived. False, with nothing changed, when the
 * session is over: it succeeded before, or nothing happened in it for too long.
 */
export async function finishSession(
  tx: Tx,
  { organizationId, authLogId, word = '' }: { organizationId: string; authLogId: string; word?: string },
  { cause, now }: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<boolean> {
  const session = await closeSession(tx, { organizationId, authLogId, word }, now)
  if (!session) return false
  // Devices are locked before their owner, here as everywhere.
  if (session.device_id !== null) await markDeviceAuthenticated(tx, organizationId, session.device_id, now)
  if (session.person_id !== null) await markPersonAuthenticated(tx, organizationId, session.person_id, now)
  await announce(tx, [newsOfSession('auth_logs.success', session, { cause, now })])
  return true
}

type Closing = { organizationId: string; authLogId: string; word: string }

/** Ends an open session as a success with its last event, by one statement. */
const closeSession = (tx: Tx, { organizationId, authLogId, word }: Closing, now: string) =>
  tx
    .with('open', (build) =>
      build
        .deleteFrom('auth_log_open_sessions')
        .where(inOrganization('auth_log_open_sessions', organizationId))
        .where('auth_log_id', '=', authLogId)
        .where('touched_at', '>', overSince(now))
        .returning('events_count'),
    )
    .with('log', (build) =>
      build
        .updateTable('auth_logs')
        .from('open')
        .set({ result: 'Success' })
        .where(inOrganization('auth_logs', organizationId))
        .where('id', '=', authLogId)
        .returningAll('auth_logs')
        .returning('open.events_count'),
    )
    .with('event', (build) =>
      build
        .insertInto('auth_log_events')
        .columns(['organization_id', 'auth_log_id', 'position', 'type', 'description', 'occurred_at'])
        .expression((from) =>
          from.selectFrom('log').select((row) => [
            'log.organization_id',
            'log.id',
            sql<number>`log.events_count + 1`.as('position'),
            row.val('sign_in_success').as('type'),
            sql<string>`case log.person_name when '' then 'Someone' else '"' || log.person_name || '"' end
                || ' signed in.' || ${word}::text`.as('description'),
            row.val(now).as('occurred_at'),
          ]),
        ),
    )
    .selectFrom('log')
    .selectAll('log')
    .executeTakeFirst()
