import type { Tx } from '../../base/db/transact.ts'
import { rescheduleDevices } from '../../compliance/targeting/reschedule-device.ts'
import { retarget, targetedChecks } from '../../compliance/targeting/retarget.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotices } from '../../inventory/devices/queue-agent-notice.ts'
import { type ChangeContext, settleAuthStates } from '../../inventory/devices/settle-auth-state.ts'

/**
 * What follows when locked devices have come into other groups, whose identifiers they carry already: checks may target
 * or leave them, may begin or cease to block them, and their agents are to hear of it.
 */
export async function settleGroupChange(
  tx: Tx,
  organizationId: string,
  devices: readonly LockedDevice[],
  context: ChangeContext,
): Promise<void> {
  await retarget(tx, devices, await targetedChecks(tx, organizationId), context)
  await rescheduleDevices(tx, devices, context.now)
  await settleAuthStates(tx, devices, context)
  await queueAgentNotices(
    tx,
    organizationId,
    devices.map(({ id }) => id),
    context.now,
  )
}
