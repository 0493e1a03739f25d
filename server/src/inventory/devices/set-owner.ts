import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from './lock-device.ts'

type NewOwner = { personId: string; isByOwner: boolean }

/** Registers a locked device to a person from `now` on, by themselves or not, and returns it as it is then. */
export async function setOwner(
  tx: Tx,
  device: LockedDevice,
  { personId, isByOwner }: NewOwner,
  now: string,
): Promise<LockedDevice> {
  const owned = {
    registered_owner_id: personId,
    registered_at: now,
    registration_suspended_at: null,
    has_had_owner: true as const,
  }
  await write(tx, device, { ...owned, is_registered_by_owner: isByOwner })
  return { ...device, ...owned }
}

/** Ends the registration of a locked device; who else might sign in with it ends too. */
export async function clearOwner(tx: Tx, device: LockedDevice): Promise<LockedDevice> {
  const free = { registered_owner_id: null, registered_at: null, registration_suspended_at: null }
  await write(tx, device, { ...free, is_registered_by_owner: false, authentication_mode: 'only_registered_owner' })
  await tx
    .deleteFrom('device_authentication_groups')
    .where(inOrganization('device_authentication_groups', device.organization_id))
    .where('device_id', '=', device.id)
    .execute()
  return { ...device, ...free }
}

/** While suspended, nobody can sign in with the device and its state cannot improve. Null ends the suspension. */
export async function setSuspension(tx: Tx, device: LockedDevice, suspendedAt: string | null): Promise<LockedDevice> {
  await write(tx, device, { registration_suspended_at: suspendedAt })
  return { ...device, registration_suspended_at: suspendedAt }
}

type Ownership = {
  registered_owner_id?: string | null
  registered_at?: string | null
  is_registered_by_owner?: boolean
  registration_suspended_at: string | null
  authentication_mode?: 'only_registered_owner'
  has_had_owner?: true
}

async function write(tx: Tx, device: LockedDevice, ownership: Ownership): Promise<void> {
  await tx
    .updateTable('devices')
    .set(ownership)
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
