import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Marks a locked device as one that two agents enroll as; null takes the mark away. */
export async function setIdentityConflict(
  tx: Tx,
  device: { organization_id: string; id: string },
  since: string | null,
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ identity_conflict_since: since })
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
