import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Of two devices that are merged the keys of the machine that continues stay, with the kept device. The others end: their
 * companions enroll again.
 */
export async function mergeCompanionKeys(
  tx: Tx,
  { organizationId, keptId, otherId }: { organizationId: string; keptId: string; otherId: string },
  continues: 'kept' | 'other',
): Promise<void> {
  await tx
    .deleteFrom('companion_keys')
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', continues === 'kept' ? otherId : keptId)
    .execute()
  if (continues === 'kept') return
  await tx
    .updateTable('companion_keys')
    .set({ device_id: keptId })
    .where(inOrganization('companion_keys', organizationId))
    .where('device_id', '=', otherId)
    .execute()
}
