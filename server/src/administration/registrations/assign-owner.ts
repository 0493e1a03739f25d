import type { Permission } from '@muster/contract/permissions.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { findEnded } from './ended-registrations.ts'
import { registerDevice } from './register-device.ts'

type Assignment = {
  deviceId: string
  personId: string
  /** Refuses whoever may not do what the assignment also does. */
  requirePower: (permission: Permission) => void
}

/**
 * Registers a device to a person because an administrator or a key says so; false where it is theirs already. To take
 * it from its owner is to unregister it, and a suspended registration, also one that has ended, is decided by that, so each
 * needs that right as well. Fails with not_found and with permission_missing.
 */
export async function assignOwner(tx: Tx, assignment: Assignment, context: ChangeContext): Promise<boolean> {
  const { deviceId, personId, requirePower } = assignment
  const device = orNotFound(await lockDevice(tx, context.organizationId, deviceId))
  if (device.registered_owner_id === personId) return false
  if (device.registered_owner_id !== null) requirePower('remove_devices')
  const ended = await findEnded(tx, { organizationId: context.organizationId, deviceId, personId })
  if (device.registration_suspended_at ?? ended?.suspended_at) requirePower('manage_user_requests')
  await registerDevice(tx, { deviceId, personId, isDecided: true }, context)
  return true
}
