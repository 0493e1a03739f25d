import type { Selectable } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'

/** What the record that stays keeps, or the rest of a merge decides: its agent reports it, or it follows from what is moved. */
type NotTaken =
  | ('organization_id' | 'id' | 'created_at' | 'deleted_at')
  | ('name' | 'operating_system' | 'hardware_model' | 'agent_version' | 'device_type' | 'form_factor')
  | ('registered_owner_id' | 'registered_at' | 'is_registered_by_owner' | 'registration_suspended_at')
  | ('auth_state' | 'will_block_at' | 'signalled_status' | 'last_authenticated_at' | 'authentication_mode')
  | ('product_image_url' | 'identity_conflict_since')

/** Every other column: a new one is a type error where records are merged, until it is decided which of two values stays. */
type Taken = Omit<Selectable<Database['devices']>, NotTaken>

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
