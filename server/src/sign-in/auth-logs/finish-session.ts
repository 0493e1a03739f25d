import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { markDeviceAuthenticated } from '../../inventory/devices/mark-authenticated.ts'
import { markPersonAuthenticated } from '../../inventory/people/mark-authenticated.ts'
import { announce } from '../../signals/events/announce.ts'
import { newsOfSession } from './news-of-session.ts'
import { overSince } from './rules.ts'
import { writeEvent } from './write-event.ts'

/**
 * Notes that the person got in, on device and person as well, and announces it. False, with nothing changed, when the
 * session is over: it succeeded before, or nothing happened in it for too long.
 */
export async function finishSession(
  tx: Tx,
  { organizationId, authLogId }: { organizationId: string; authLogId: string },
  { cause, now }: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<boolean> {
  const open = await tx
    .deleteFrom('auth_log_open_sessions')
    .where(inOrganization('auth_log_open_sessions', organizationId))
    .where('auth_log_id', '=', authLogId)
    .where('touched_at', '>', overSince(now))
    .returning('events_count')
    .executeTakeFirst()
  if (!open) return false
  const session = await tx
    .updateTable('auth_logs')
    .set({ result: 'Success' })
    .where(inOrganization('auth_logs', organizationId))
    .where('id', '=', authLogId)
    .returningAll()
    .executeTakeFirstOrThrow()
  const description = session.person_name === '' ? 'Someone signed in.' : `"${session.person_name}" signed in.`
  const position = open.events_count + 1
  await writeEvent(tx, { organizationId, authLogId, position, type: 'sign_in_success', description, now })
  // Devices are locked before their owner, here as everywhere.
  if (session.device_id !== null) await markDeviceAuthenticated(tx, organizationId, session.device_id, now)
  if (session.person_id !== null) await markPersonAuthenticated(tx, organizationId, session.person_id, now)
  await announce(tx, [newsOfSession('auth_logs.success', session, { cause, now })])
  return true
}
