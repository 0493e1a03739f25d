import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { lockTallies } from '../checks/adjust-tallies.ts'
import { holdConfigurations } from '../checks/hold-configurations.ts'
import { markStale } from '../checks/mark-stale.ts'
import { rescheduleDevices } from '../checks/reschedule-device.ts'
import { retarget, targetedChecks } from '../checks/retarget.ts'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import { type LockedDevice, lockDevice } from '../devices/lock-device.ts'
import { queueAgentNotice } from '../devices/queue-agent-notice.ts'
import { setDeleted } from '../devices/set-deleted.ts'
import { clearOwner } from '../devices/set-owner.ts'
import { type Happening, settleAuthState } from '../devices/settle-auth-state.ts'
import { orNotFound } from '../errors.ts'
import { countMember } from '../groups/count-member.ts'
import { countInLiveQueries } from '../live-queries/count-device.ts'
import { lockPerson } from '../people/lock-person.ts'
import { markFirstTrust } from '../people/mark-first-trust.ts'
import { countResults } from './mark-deleted.ts'

type Restoration = { organizationId: string; deviceId: string; actor: Actor }

/**
 * Brings a deleted device back with its registration, groups and issues, in line with what changed meanwhile. Fails
 * with not_found once it is purged.
 */
export async function restoreDevice(
  tx: Tx,
  { organizationId, deviceId, actor }: Restoration,
  happening: Happening,
): Promise<void> {
  const { now } = happening
  await holdConfigurations(tx, organizationId)
  const deleted = orNotFound(await lockDeleted(tx, organizationId, deviceId))
  await setDeleted(tx, deleted, null)
  const device = await withOwnerOfToday(tx, orNotFound(await lockDevice(tx, organizationId, deviceId)))
  await lockTallies(tx, organizationId, [device.id])
  await countResults(tx, device, 1)
  await retarget(tx, [device], await targetedChecks(tx, organizationId), happening)
  await markStale(tx, [device])
  await rescheduleDevices(tx, [device], now)
  await settleAuthState(tx, device, happening)
  await countMember(tx, organizationId, device.id, 1)
  await countInLiveQueries(tx, device, 1)
  await queueAgentNotice(tx, organizationId, device.id, now)
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { device: deviceId },
    description: `Restored the deleted device "${device.name}".`,
    now,
  })
}

const lockDeleted = (tx: Tx, organizationId: string, deviceId: string) =>
  tx
    .selectFrom('devices')
    .select(['organization_id', 'id'])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .where('deleted_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst()

/** The registration of somebody who was deprovisioned meanwhile has ended. */
async function withOwnerOfToday(tx: Tx, device: LockedDevice): Promise<LockedDevice> {
  if (device.registered_owner_id === null) return device
  if (!(await lockPerson(tx, device.organization_id, device.registered_owner_id))) return clearOwner(tx, device)
  await markFirstTrust(tx, device.organization_id, device.registered_owner_id, true)
  return device
}
