import type { Permission } from '@muster/contract/permissions.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { deprovisionPerson, listDevicesOf } from '../registrations/deprovision-person.ts'
import { requireNotProvided } from './require-not-provided.ts'

type Deprovisioning = {
  personId: string
  /** Refuses whoever may not do what the deprovisioning also does. */
  requirePower: (permission: Permission) => void
}

/**
 * Deprovisions a person because an administrator or a key says so, and returns the identifiers of the devices whose registration
 * ended, which needs that right as well. Fails with not_found, also for someone who is out already, with person_provided and
 * with permission_missing.
 */
export async function deprovisionByHand(
  tx: Tx,
  { personId, requirePower }: Deprovisioning,
  context: ChangeContext,
): Promise<string[]> {
  const { organizationId } = context
  // Devices are locked before their owner everywhere; once the person is locked, none is registered to them anymore.
  await lockDevices(tx, organizationId, await listDevicesOf(tx, organizationId, personId))
  orNotFound(await lockPerson(tx, organizationId, personId))
  await requireNotProvided(tx, organizationId, personId)
  if ((await listDevicesOf(tx, organizationId, personId)).length > 0) requirePower('remove_devices')
  return deprovisionPerson(tx, { personId }, context)
}
