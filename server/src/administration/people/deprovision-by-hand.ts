import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { lockFullAdministrators } from '../../inventory/people/lock-full-administrators.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { deprovisionPerson, listDevicesOf } from '../registrations/deprovision-person.ts'
import { admitByHand, type ByHand } from './admit-by-hand.ts'

/**
 * Deprovisions a person because an administrator or a key says so, and returns the identifiers of the devices whose registration
 * ended, which needs that right as well. Fails with not_found, also for someone who is out already, with person_provided, with
 * permission_missing, and with invalid for the last administrator with full access, who would be signed out.
 */
export async function deprovisionByHand(tx: Tx, asked: ByHand, context: ChangeContext): Promise<string[]> {
  const { organizationId } = context
  const { personId, requirePower } = asked
  // Devices are locked before their owner everywhere; once the person is locked, none is registered to them anymore.
  await lockDevices(tx, organizationId, await listDevicesOf(tx, organizationId, personId))
  orNotFound(await lockPerson(tx, organizationId, personId))
  const administratorId = await admitByHand(tx, organizationId, asked)
  if (administratorId !== null) await refuseLast(tx, organizationId, administratorId)
  if ((await listDevicesOf(tx, organizationId, personId)).length > 0) requirePower('remove_devices')
  return deprovisionPerson(tx, { personId }, context)
}

async function refuseLast(tx: Tx, organizationId: string, administratorId: string): Promise<void> {
  const full = await lockFullAdministrators(tx, organizationId)
  if (full.length !== 1 || full[0] !== administratorId) return
  fail('invalid', { errors: [{ field: 'id', message: 'must stay: nobody else has full access to the console' }] })
}
