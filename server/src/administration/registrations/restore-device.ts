import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockTallies } from '../../compliance/standing/adjust-tallies.ts'
import { holdConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { type LockedDevice, lockDevice } from '../../inventory/devices/lock-device.ts'
import { setDeleted } from '../../inventory/devices/set-deleted.ts'
import { clearOwner } from '../../inventory/devices/set-owner.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { markFirstTrust } from '../../inventory/people/mark-first-trust.ts'
import { countInLiveQueries } from '../../live-queries/count-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { countMember } from '../groups/count-member.ts'
import { countResults } from './mark-deleted.ts'

type Restoration = { deviceId: string }

/**
 * Brings a deleted device back with its registration, groups and issues, in line with what changed meanwhile. Fails
 * with not_found once it is purged.
 */
export async function restoreDevice(tx: Tx, { deviceId }: Restoration, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  await holdConfigurations(tx, organizationId)
  const deleted = orNotFound(await lockDeleted(tx, organizationId, deviceId))
  await setDeleted(tx, deleted, null)
  const device = await withOwnerOfToday(tx, orNotFound(await lockDevice(tx, organizationId, deviceId)))
  await lockTallies(tx, organizationId, [device.id])
  await countResults(tx, device, 1)
  await reconcileDevices(tx, [device], { targeting: 'all', queries: 'all', deadlines: 'all', agents: 'all' }, context)
  await countMember(tx, organizationId, device.id, 1)
  await countInLiveQueries(tx, device, 1)
  await recordAudit(
    tx,
    {
      action: 'device.restored',
      about: { device: deviceId },
      description: `Restored the deleted device "${device.name}".`,
    },
    context,
  )
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

/** The registration of someone who was deprovisioned meanwhile has ended. */
async function withOwnerOfToday(tx: Tx, device: LockedDevice): Promise<LockedDevice> {
  if (device.registered_owner_id === null) return device
  if (!(await lockPerson(tx, device.organization_id, device.registered_owner_id))) return clearOwner(tx, device)
  await markFirstTrust(tx, device.organization_id, device.registered_owner_id, true)
  return device
}
