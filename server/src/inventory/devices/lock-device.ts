import { type Selectable, sql } from 'kysely'
import { devicesById } from '../../base/db/devices-by-id.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'

const columns = [
  ...(['id', 'organization_id', 'name', 'device_type', 'registered_owner_id', 'registered_at'] as const),
  ...(['registration_suspended_at', 'identity_conflict_since', 'auth_state', 'will_block_at'] as const),
  ...(['signalled_status', 'has_had_owner'] as const),
] as const

type Locked = Pick<Selectable<Database['devices']>, (typeof columns)[number]>

/**
 * Locks living devices until the transaction ends and returns what decisions about them need. Every change of a
 * device's results, issues or state holds this lock, so changes of one device happen one after another. Locks are
 * taken in the order of the identifiers, so that two batches cannot deadlock.
 */
export async function lockDevices(tx: Tx, organizationId: string, deviceIds: readonly string[]) {
  // Not so strong that rows which refer to a device, such as its last contact, cannot be written meanwhile.
  const locked = devicesById(organizationId, deviceIds, sql`for no key update`)
  const { rows: devices } = await sql<Locked>`
    select ${sql.join(columns.map((column) => sql.ref(`devices.${column}`)))} from ${locked} where devices.deleted_at is null
    order by devices.id
  `.execute(tx)
  // Read once the locks are held: a statement that waited for a lock sees other tables as they were before.
  const groups = await listGroupsOfDevices(tx, organizationId, devices)
  return devices.map((device) => ({ ...device, group_ids: groups.get(device.id) ?? [] }))
}

/** The device groups of each device that is in any. */
export async function listGroupsOfDevices(reader: Reader, organizationId: string, devices: readonly { id: string }[]) {
  if (devices.length === 0) return new Map<string, string[]>()
  const members = await reader
    .selectFrom('device_group_members')
    .select(['device_id', sql<string[]>`array_agg(device_group_id order by device_group_id)`.as('group_ids')])
    .where(inOrganization('device_group_members', organizationId))
    .where('device_id', '=', sql<string>`any(${devices.map(({ id }) => id)}::bigint[])`)
    .groupBy('device_id')
    .execute()
  return new Map(members.map((member) => [member.device_id, member.group_ids]))
}

export type LockedDevice = Awaited<ReturnType<typeof lockDevices>>[number]

export async function lockDevice(tx: Tx, organizationId: string, deviceId: string): Promise<LockedDevice | undefined> {
  const [device] = await lockDevices(tx, organizationId, [deviceId])
  return device
}
