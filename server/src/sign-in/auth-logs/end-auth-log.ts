import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { markDeviceAuthenticated } from '../../inventory/devices/mark-authenticated.ts'
import { markPersonAuthenticated } from '../../inventory/people/mark-authenticated.ts'
import { announceEnds } from './announce-ends.ts'
import { overSince } from './rules.ts'

type Place = { organizationId: string; authLogId: string }
type AuthLogEnd = Place &
  (
    | { outcome: 'success' /** What was waived. */; word?: string }
    /** What stood in the way last is why; `reason` where nothing did. */
    | { outcome: 'denied'; reason: SignInReason }
  )

/**
 * Ends a log and announces that: as a success, which device and person note as well, or as a failure. False, with nothing
 * changed, when the log has ended before; a success also when nothing happened in it for too long.
 */
export async function endAuthLog(
  tx: Tx,
  end: AuthLogEnd,
  change: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<boolean> {
  const { now } = change
  const log = end.outcome === 'success' ? await closeAsSuccess(tx, end, now) : await closeAsFailure(tx, end)
  if (!log) return false
  if (end.outcome === 'success') {
    // Devices are locked before their owner, here as everywhere.
    if (log.device_id !== null) await markDeviceAuthenticated(tx, log.organization_id, log.device_id, now)
    if (log.person_id !== null) await markPersonAuthenticated(tx, log.organization_id, log.person_id, now)
  }
  await announceEnds(tx, end.outcome === 'success' ? 'success' : 'failure', [log], change)
  return true
}

/** Whoever takes the row of an open log away ends it, here and in the sweep. */
const takeOpen = (tx: Pick<Tx, 'deleteFrom'>, { organizationId, authLogId }: Place) =>
  tx
    .deleteFrom('auth_log_open_sessions')
    .where(inOrganization('auth_log_open_sessions', organizationId))
    .where('auth_log_id', '=', authLogId)

/** With its last event, by one statement. */
const closeAsSuccess = (tx: Tx, { word = '', ...place }: Place & { word?: string }, now: string) =>
  tx
    .with('open', (build) => takeOpen(build, place).where('touched_at', '>', overSince(now)).returning('events_count'))
    .with('log', (build) =>
      build
        .updateTable('auth_logs')
        .from('open')
        .set({ result: 'Success' })
        .where(inOrganization('auth_logs', place.organizationId))
        .where('id', '=', place.authLogId)
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

async function closeAsFailure(tx: Tx, { reason, ...place }: Place & { reason: SignInReason }) {
  const open = await takeOpen(tx, place).returning('reason').executeTakeFirst()
  if (!open) return undefined
  return tx
    .updateTable('auth_logs')
    .set({ failure_reason: open.reason === 'abandoned' || open.reason === null ? reason : open.reason })
    .where(inOrganization('auth_logs', place.organizationId))
    .where('id', '=', place.authLogId)
    .returningAll()
    .executeTakeFirstOrThrow()
}
