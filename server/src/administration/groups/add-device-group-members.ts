import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { reconcileDevices } from '../../compliance/targeting/reconcile-devices.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { findDeviceGroup } from './queries.ts'
import { quoteNames } from './quote-names.ts'
import { addToMembersCount, insertDeviceGroupMembers } from './write-device-group-members.ts'

export type DeviceGroupAddition = { groupId: string; deviceIds: readonly string[] }

const maxDevices = 1_000

/**
 * Adds devices to a group, all or none; which are in it already stay. Repeats are one. Fails with not_found for the
 * group and with invalid for devices that the organization does not have, naming their places.
 */
export async function addDeviceGroupMembers(
  tx: Tx,
  addition: DeviceGroupAddition,
  context: ChangeContext,
): Promise<void> {
  const { organizationId } = context
  const { groupId, deviceIds } = addition
  if (deviceIds.length > maxDevices) {
    fail('invalid', { errors: [{ field: 'device_ids', message: `must not have more than ${maxDevices} items` }] })
  }
  const group = orNotFound(await findDeviceGroup(tx, organizationId, groupId))
  const devices = await lockDevices(tx, organizationId, deviceIds)
  refuseUnknown(deviceIds, new Set(devices.map(({ id }) => id)))
  const added = new Set(
    await insertDeviceGroupMembers(
      tx,
      { organizationId, groupId },
      devices.map(({ id }) => id),
    ),
  )
  if (added.size === 0) return
  const moved = devices
    .filter(({ id }) => added.has(id))
    .map((device) => ({ ...device, group_ids: [...device.group_ids, groupId] }))
  await reconcileDevices(tx, moved, { targeting: 'all', deadlines: 'all', agents: 'all' }, context)
  await addToMembersCount(tx, { organizationId, groupId }, moved.length)
  const names = quoteNames(moved.map(({ name }) => name))
  await recordAudit(
    tx,
    {
      action: 'device_group.devices_added',
      about: { device_group: groupId, device: moved.map(({ id }) => id) },
      description: `Added the ${moved.length === 1 ? 'device' : 'devices'} ${names} to the device group "${group.name}".`,
    },
    context,
  )
}

/** Another organization's device is refused in the same words as one that never was. */
function refuseUnknown(deviceIds: readonly string[], known: ReadonlySet<string>): void {
  const errors = deviceIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ field: `device_ids/${index}`, message: 'there is no such device' }],
  )
  if (errors.length > 0) fail('invalid', { errors })
}
