import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Takes a person group, which the caller has locked, out of who may sign in with devices. Devices that have no other
 * group are for their owners alone again; returns how many those are.
 */
export async function leaveAuthenticationGroup(tx: Tx, organizationId: string, personGroupId: string): Promise<number> {
  const left = await tx
    .deleteFrom('device_authentication_groups')
    .where(inOrganization('device_authentication_groups', organizationId))
    .where('person_group_id', '=', personGroupId)
    .returning('device_id')
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('devices')
    .set({ authentication_mode: 'only_registered_owner' })
    .where(inOrganization('devices', organizationId))
    .where('id', '=', sql<string>`any(${left.map((row) => row.device_id)}::bigint[])`)
    .where('authentication_mode', '=', 'only_registered_owner_or_group_members')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('device_authentication_groups as other')
            .select('other.device_id')
            .whereRef('other.organization_id', '=', 'devices.organization_id')
            .whereRef('other.device_id', '=', 'devices.id'),
        ),
      ),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
