import type { Updateable } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'

type Taken = Pick<
  Updateable<Database['devices']>,
  'serial' | 'hardware_uuid' | 'machine_id' | 'host_identifier' | 'enrolled_at' | 'note' | 'is_named' | 'has_had_owner'
>

/** Gives a locked device what it takes over of another record of its machine. */
export async function takeOverDevice(
  tx: Tx,
  device: { organization_id: string; id: string },
  taken: Taken,
): Promise<void> {
  await tx
    .updateTable('devices')
    .set(taken)
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
