import type { ChangeOrigin } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotices } from '../../inventory/devices/queue-agent-notice.ts'
import { settleAuthStates } from '../../inventory/devices/settle-auth-state.ts'
import { type IssuePolicy, rescheduleIssues } from '../issues/reschedule-issues.ts'
import { markStale } from './mark-stale.ts'
import { rescheduleDevices } from './reschedule-device.ts'
import { retarget, type TargetedCheck, targetedChecks } from './retarget.ts'

/** What may have changed for devices. */
export type Changed = {
  /** Checks that may begin or cease to target them: `all` of the organization, or these as they are now. */
  targeting?: 'all' | readonly TargetedCheck[]
  /** Checks whose query may have changed while the devices were not looked at: `all`, or these. */
  queries?: 'all' | readonly string[]
  /** When their open issues block: `all`, by the configurations as they are now, or those of these checks. */
  deadlines?: 'all' | ReadonlyMap<string, IssuePolicy>
  /** What an agent has to ask for again, beside checks that are new to it. */
  agents?: 'all'
}

/**
 * Brings locked devices of one organization in line with its checks: results, issues and their deadlines, state, signals
 * and the notices for agents. Whoever changes what a check or a device is subject to calls this, in the transaction of
 * the change.
 *
 * Everyone takes locks in one order, so that transactions wait for each other and never deadlock: configurations
 * (`holdConfigurations`), devices by identifier (`lockDevices`), their owners, tallies (`lockTallies`), the blocks of each check
 * (`holdBlocks`), groups, live queries, and the head of the audit log last (`recordAudit`).
 */
export async function reconcileDevices(
  tx: Tx,
  devices: readonly LockedDevice[],
  changed: Changed,
  context: ChangeOrigin,
): Promise<void> {
  const [first] = devices
  if (!first) return
  const { organization_id: organizationId } = first
  const { targeting = [], queries = [], deadlines, agents } = changed
  const checks = targeting === 'all' ? await targetedChecks(tx, organizationId) : targeting
  await retarget(tx, devices, checks, context)
  if (queries === 'all') await markStale(tx, devices)
  else if (queries.length > 0) await markStale(tx, devices, queries)
  if (deadlines === 'all') await rescheduleDevices(tx, devices, context)
  else if (deadlines) await rescheduleIssues(tx, devices, deadlines, context)
  await settleAuthStates(tx, devices, context)
  if (agents === undefined) return
  const ids = devices.map(({ id }) => id)
  await queueAgentNotices(tx, organizationId, ids, context.now)
}
