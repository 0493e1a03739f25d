import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findDeviceGroup } from './queries.ts'
import { addToMembersCount, deleteDeviceGroupMember } from './write-device-group-members.ts'

export type DeviceGroupRemoval = { groupId: string; deviceId: string }

/** Takes a device out of a group. Fails with not_found for a device that is not in it. */
export async function removeDeviceGroupMember(
  tx: Tx,
  removal: DeviceGroupRemoval,
  context: ChangeContext,
): Promise<void> {
  const { organizationId } = context
  const { groupId, deviceId } = removal
  const group = orNotFound(await findDeviceGroup(tx, organizationId, groupId))
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const wasMember = await deleteDeviceGroupMember(tx, { organizationId, groupId }, deviceId)
  if (!wasMember) return fail('not_found')
  const moved = { ...device, group_ids: device.group_ids.filter((id) => id !== groupId) }
  await reconcileDevices(tx, [moved], { targeting: 'all', deadlines: 'all', agents: 'all' }, context)
  await addToMembersCount(tx, { organizationId, groupId }, -1)
  await recordAudit(
    tx,
    {
      action: 'device_group.devices_removed',
      about: { device_group: groupId, device: deviceId },
      description: `Took the device "${device.name}" out of the device group "${group.name}".`,
    },
    context,
  )
}
