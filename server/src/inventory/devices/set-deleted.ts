import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

type Device = { organization_id: string; id: string }

/** A deleted device is gone from every answer and its agent is refused; null brings it back. */
export async function setDeleted(tx: Tx, device: Device, deletedAt: string | null): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ deleted_at: deletedAt })
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}

/** Removes a device and, by cascade, all that hangs on it. */
export async function purgeRow(tx: Tx, device: Device): Promise<void> {
  await tx
    .deleteFrom('devices')
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
