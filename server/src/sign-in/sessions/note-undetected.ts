import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import { reasonOfDetection } from './reason-of.ts'
import type { SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

export const reasons = {
  agent_not_found: 'No agent answered.',
  permission_denied: 'The browser did not allow the page to ask the agent.',
  other_profile: 'The agent answered another profile of the browser.',
  ad_blocker: 'An extension of the browser stops the question to the agent.',
  proxy: 'A proxy takes the question to the agent elsewhere.',
  unsupported: 'The browser cannot ask the agent.',
  agent_outdated: 'The agent is too old.',
  proof_invalid: 'The proof was refused.',
  proof_relayed: 'A relay asked the agent in place of the browser.',
  several_devices: 'More than one device answered.',
  linking: 'The agent is not linked to its device yet.',
} as const

export type Reason = keyof typeof reasons

/**
 * Notes why the page has found no device: at once when the reason is another one, else every 30 seconds, 20 times at most.
 * Before a person is known it is a column only.
 */
export async function noteUndetected(
  tx: Tx,
  session: SignInSession,
  { reason }: { reason: Reason },
  now: string,
): Promise<void> {
  const { organization_id: organizationId, id, auth_log_id: authLogId, detection_failed_at: at } = session
  const isNew = session.detection_failure !== reason
  const isLate = isNew || at === null || at <= plusMs(now, -limits.detectionFailureMs)
  const isDue = isLate && session.device_id === null && session.detection_failures < limits.detectionFailures
  if (!isDue) return
  const { numUpdatedRows } = await tx
    .updateTable('signin_sessions')
    .set((row) => ({
      detection_failure: reason,
      detection_failures: row('detection_failures', '+', 1),
      detection_failed_at: now,
      last_event_at: now,
      ...(isNew && { revision: row('revision', '+', 1) }),
    }))
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .where('device_id', 'is', null)
    .where('detection_failures', '=', session.detection_failures)
    .executeTakeFirst()
  if (numUpdatedRows === 0n || authLogId === null) return
  const description = reasons[reason]
  const why = reasonOfDetection(reason)
  const step = { organizationId, authLogId, now, reason: why }
  await recordAuthLogEvent(tx, { ...step, type: 'agent_detection_failure', description })
}
