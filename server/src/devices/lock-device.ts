import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'

const groupIds = sql<string[]>`array(
  select member.device_group_id from device_group_members as member
  where member.organization_id = devices.organization_id and member.device_id = devices.id
)`.as('group_ids')

/**
 * Locks living devices until the transaction ends and returns what decisions about them need. Every change of a
 * device's results, issues or state holds this lock, so changes of one device happen one after another. Locks are
 * taken in the order of the identifiers, so that two batches cannot deadlock.
 */
export async function lockDevices(tx: Tx, organizationId: string, deviceIds: readonly string[]) {
  return tx
    .selectFrom('devices')
    .select([
      'id',
      'organization_id',
      'name',
      'device_type',
      'registered_owner_id',
      'registered_at',
      'registration_suspended_at',
      'auth_state',
      'will_block_at',
      'signalled_status',
      groupIds,
    ])
    .where(inOrganization('devices', organizationId))
    .where('id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export type LockedDevice = Awaited<ReturnType<typeof lockDevices>>[number]

export async function lockDevice(tx: Tx, organizationId: string, deviceId: string): Promise<LockedDevice | undefined> {
  const [device] = await lockDevices(tx, organizationId, [deviceId])
  return device
}
