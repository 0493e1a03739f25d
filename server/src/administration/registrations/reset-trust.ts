import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { lockPerson } from '../../inventory/people/lock-person.ts'
import { markFirstTrust } from '../../inventory/people/mark-first-trust.ts'

/** Whoever loses their only device may trust the next one on first use. */
export async function resetTrustOfLast(tx: Tx, device: LockedDevice, ownerId: string): Promise<void> {
  // Of two devices that a person loses at once, the second must see the first as lost.
  await lockPerson(tx, device.organization_id, ownerId)
  const other = await tx
    .selectFrom('devices')
    .select('id')
    .where(inOrganization('devices', device.organization_id))
    .where('registered_owner_id', '=', ownerId)
    .where('id', '<>', device.id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (!other) await markFirstTrust(tx, device.organization_id, ownerId, false)
}
