import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Db, Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { clockToleranceMs, minuteMs, plusMs } from '../../base/time.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockConnection } from './change-connection.ts'
import { maxPauseMinutes } from './pause-rules.ts'

/**
 * Lets known people in through a connection without the check of their device for a while: it only observes until then, and
 * enforces again by itself. A pause that runs is replaced. Fails with not_found, and with invalid unless it enforces.
 */
export async function pauseConnection(
  tx: Tx,
  { id, minutes, reason }: { id: string; minutes: number; reason: string },
  context: ChangeContext,
): Promise<{ pausedUntil: string }> {
  const { organizationId, now } = context
  const before = await lockConnection(tx, organizationId, id)
  if (before.mode !== 'enforce') return fail('invalid', { message: 'Only a connection that enforces can be paused.' })
  const pausedUntil = plusMs(now, minutes * minuteMs)
  await setPause(tx, { organizationId, id, pausedUntil, reason })
  const description = `Paused the sign-in connection "${before.name}" until ${pausedUntil}. Reason: ${reason}`
  const changes = [{ field: 'paused_until', from: before.paused_until, to: pausedUntil }]
  await recordAudit(tx, { action: 'signin_connection.paused', about: {}, description, changes }, context)
  return { pausedUntil }
}

/** Ends a pause before its time; nothing where none runs. Fails with not_found. */
export async function resumeConnection(tx: Tx, { id }: { id: string }, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const before = await lockConnection(tx, organizationId, id)
  if (before.paused_until === null || before.paused_until <= now) return
  await setPause(tx, { organizationId, id, pausedUntil: null, reason: null })
  const description = `Ended the pause of the sign-in connection "${before.name}".`
  const changes = [{ field: 'paused_until', from: before.paused_until, to: null }]
  await recordAudit(tx, { action: 'signin_connection.resumed', about: {}, description, changes }, context)
}

/**
 * Brings forward the pauses that would last for longer than any is meant to: their end was written while a clock was ahead. None
 * of them ends earlier than it was meant to.
 */
export async function capPauses(db: Db, now: string): Promise<void> {
  const longestMs = maxPauseMinutes * minuteMs
  await db
    .updateTable('signin_connections')
    .set({ paused_until: plusMs(now, longestMs) })
    .where('paused_until', '>', plusMs(now, longestMs + clockToleranceMs))
    .execute()
}

type Pause = { organizationId: string; id: string; pausedUntil: string | null; reason: string | null }

const setPause = (tx: Tx, { organizationId, id, pausedUntil, reason }: Pause) =>
  tx
    .updateTable('signin_connections')
    .set({ paused_until: pausedUntil, pause_reason: reason })
    .where(inOrganization('signin_connections', organizationId))
    .where('id', '=', id)
    .execute()
