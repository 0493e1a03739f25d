import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { adjustTallies } from '../../compliance/standing/adjust-tallies.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { setDeleted } from '../../inventory/devices/set-deleted.ts'
import { countInLiveQueries } from '../../live-queries/count-device.ts'
import { countMember } from '../groups/count-member.ts'
import { resetTrustOfLast } from './reset-trust.ts'

/**
 * Takes a locked device out of all counts and refuses its agent. Locks are taken in the order of `reconcileDevices`.
 */
export async function markDeleted(tx: Tx, device: LockedDevice, { now }: ChangeOrigin): Promise<void> {
  await setDeleted(tx, device, now)
  if (device.registered_owner_id !== null) await resetTrustOfLast(tx, device, device.registered_owner_id)
  await countResults(tx, device, -1)
  await countMember(tx, device.organization_id, device.id, -1)
  await countInLiveQueries(tx, device, -1)
  await queueAgentNotice(tx, device.organization_id, device.id, now)
}

/** Adds the results of a device to (1) or takes them out of (-1) the tallies of its checks. */
export async function countResults(
  tx: Tx,
  device: Pick<LockedDevice, 'organization_id' | 'id'>,
  step: 1 | -1,
): Promise<void> {
  const results = await tx
    .selectFrom('check_results')
    .select(['check_id as checkId', 'device_id as deviceId', 'status'])
    .where(inOrganization('check_results', device.organization_id))
    .where('device_id', '=', device.id)
    .execute()
  await adjustTallies(
    tx,
    device.organization_id,
    results.map(({ status, ...pair }) => ({
      ...pair,
      from: step === 1 ? null : status,
      to: step === 1 ? status : null,
    })),
  )
}
