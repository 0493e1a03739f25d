import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { markDeprovisioned } from '../../inventory/people/mark-deprovisioned.ts'
import { isDeprovisioned } from '../../inventory/people/queries.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { unregisterDevice } from './unregister-device.ts'

type Deprovisioning = { personId: string }

/**
 * Takes a person out of the organization: the registrations of their devices end, which says nothing about
 * compliance. Returns the identifiers of the devices whose registration ended. Does nothing for a person who is out already;
 * fails with not_found for one who never was in.
 */
export async function deprovisionPerson(
  tx: Tx,
  deprovisioning: Deprovisioning,
  context: ChangeContext,
): Promise<string[]> {
  const { organizationId } = context
  const { personId } = deprovisioning
  // Devices are locked before their owner everywhere; what was registered in between is found by looking again.
  await lockDevices(tx, organizationId, await listDevicesOf(tx, organizationId, personId))
  const person = await markDeprovisioned(tx, organizationId, personId, context.now)
  if (!person) {
    if (await isDeprovisioned(tx, organizationId, personId)) return []
    return fail('not_found')
  }
  const deviceIds = await listDevicesOf(tx, organizationId, personId)
  for (const deviceId of deviceIds) {
    await unregisterDevice(tx, { deviceId }, context)
  }
  await recordAudit(
    tx,
    {
      action: 'person.deprovisioned',
      about: { person: personId },
      description: `Deprovisioned "${person.name}" (${person.email}).`,
    },
    context,
  )
  return deviceIds
}

/** The identifiers of the devices that are registered to the person, in their order. */
export async function listDevicesOf(reader: Reader, organizationId: string, personId: string): Promise<string[]> {
  const rows = await reader
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', organizationId))
    .where('registered_owner_id', '=', personId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
