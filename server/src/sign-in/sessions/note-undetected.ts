import { inOrganization } from '../../base/db/in-organization.ts'
import type { DetectionReason } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import { detectionReasons } from '../reasons/detection-reasons.ts'
import type { SignInSession } from './session-queries.ts'
import { limits } from './session-rules.ts'

/**
 * Notes why the page has found no device: at once when the reason is another one, else every 30 seconds, 20 times at most.
 * Before a person is known it is a column only.
 */
export async function noteUndetected(
  tx: Tx,
  session: SignInSession,
  { reason }: { reason: DetectionReason },
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
  const { log: description, name } = detectionReasons[reason]
  const step = { organizationId, authLogId, now, reason: name }
  await recordAuthLogEvent(tx, { ...step, type: 'agent_detection_failure', description })
}
