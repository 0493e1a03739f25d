import { inOrganization } from '../../base/db/in-organization.ts'
import type { SessionState } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { refreshFailingAndStale } from '../../compliance/results/refresh-failing.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import { countPendingChecks, listIssues, type SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

/** Whether checks that the person asked for still run. */
export const isRechecking = (session: SignInSession): boolean =>
  session.rechecked_at !== null && session.recheck_ended_at === null

/** Asks for the failing and stale checks of the device to run now, while the person waits. Nothing while they still run. */
export async function beginRecheck(tx: Tx, session: SignInSession, deviceId: string, now: string): Promise<void> {
  const { organization_id: organizationId } = session
  if (isRechecking(session)) return
  const { checks_count: asked } = await refreshFailingAndStale(tx, { organizationId, deviceIds: [deviceId], now })
  if (asked === 0) return
  const issues = await listIssues(tx, organizationId, deviceId)
  await tx
    .updateTable('signin_sessions')
    .set((row) => ({
      rechecked_at: now,
      recheck_ended_at: null,
      recheck_checks: asked,
      recheck_issues: issues.map(({ id }) => id),
      last_event_at: now,
      revision: row('revision', '+', 1),
    }))
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', session.id)
    .execute()
}

/** Writes into the log that a recheck is over: every check has run, or a minute has passed. True when it is. */
export async function endRecheck(
  tx: Tx,
  session: SignInSession,
  { state, authLogId }: { state: SessionState; authLogId: string | null },
  now: string,
): Promise<boolean> {
  const { organization_id: organizationId, device_id: deviceId, rechecked_at: since } = session
  if (since === null || deviceId === null || !isRechecking(session)) return false
  const place = { organizationId, deviceId }
  const { pending } = await countPendingChecks(tx, place, { since, countsSince: since })
  if (pending > 0 && now < plusMs(since, limits.recheckMs)) return false
  if (authLogId === null) return true
  const step = { organizationId, authLogId, now }
  const open = new Set((await listIssues(tx, organizationId, deviceId)).map(({ id }) => id))
  const fixed = session.recheck_issues.filter((id) => !open.has(id)).length
  const seconds = ((Date.parse(now) - Date.parse(since)) / 1000).toFixed(1)
  const unfinished = pending > 0 ? `, ${pending} without a result` : ''
  const description = `${session.recheck_checks} checks, ${fixed} fixed, ${seconds} s${unfinished}.`
  await recordAuthLogEvent(tx, { ...step, type: 'device_rechecked', description })
  if (state === 'blocked' && session.state === 'blocked') {
    await recordAuthLogEvent(tx, { ...step, type: 'device_blocked', description: 'Issues still block the device.' })
  }
  return true
}
