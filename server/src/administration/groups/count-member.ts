import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/** Adds to the member counts of every group that a device is in. Groups are locked in order of identifier. */
export async function countMember(tx: Tx, organizationId: string, deviceId: string, step: 1 | -1): Promise<void> {
  await sql`
    with locked as (
      select device_groups.id from device_groups
      where ${inOrganization('device_groups', organizationId)} and device_groups.id in (
        select member.device_group_id from device_group_members as member
        where member.organization_id = ${organizationId}::bigint and member.device_id = ${deviceId}::bigint
      )
      order by device_groups.id for update
    )
    update device_groups set members_count = members_count + ${step}::int from locked
    where ${inOrganization('device_groups', organizationId)} and device_groups.id = locked.id
  `.execute(tx)
}
