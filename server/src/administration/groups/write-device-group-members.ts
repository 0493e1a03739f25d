import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

type Group = { organizationId: string; groupId: string }

// Who calls these also adds to `members_count`, but last: deleting a device locks the tallies before the groups.

/** Puts locked devices into a group and returns those that were not in it. */
export async function insertDeviceGroupMembers(
  tx: Tx,
  { organizationId, groupId }: Group,
  deviceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ device_id: string }>`
    insert into device_group_members (organization_id, device_group_id, device_id)
    select ${organizationId}::bigint, ${groupId}::bigint, device_id
    from unnest(${deviceIds}::bigint[]) as added (device_id)
    on conflict on constraint device_group_members_pkey do nothing
    returning device_id
  `.execute(tx)
  return rows.map((row) => row.device_id)
}

/** Takes a locked device out of a group; false if it was not in it. */
export async function deleteDeviceGroupMember(
  tx: Tx,
  { organizationId, groupId }: Group,
  deviceId: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('device_group_members')
    .where(inOrganization('device_group_members', organizationId))
    .where('device_group_id', '=', groupId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function addToMembersCount(tx: Tx, { organizationId, groupId }: Group, step: number): Promise<void> {
  await tx
    .updateTable('device_groups')
    .set((group) => ({ members_count: group('members_count', '+', step) }))
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', groupId)
    .execute()
}
