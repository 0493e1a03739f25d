import type { Insertable } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'

/** What an agent says of its machine. */
export type EnrolledFacts = Pick<
  Insertable<Database['devices']>,
  | 'name'
  | 'device_type'
  | 'operating_system'
  | 'hardware_model'
  | 'serial'
  | 'hardware_uuid'
  | 'machine_id'
  | 'host_identifier'
  | 'agent_version'
>

/** Adds a computer that belongs to nobody yet; returns its identifier. */
export async function addDevice(tx: Tx, organizationId: string, facts: EnrolledFacts, now: string): Promise<string> {
  const { id } = await tx
    .insertInto('devices')
    .values({ ...facts, organization_id: organizationId, form_factor: 'computer', created_at: now, enrolled_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Notes that a machine enrolled again, what its agent calls it, and its serial where it was not known; its other facts are
 * followed as any report of it is.
 */
export async function renewDevice(
  tx: Tx,
  device: { organization_id: string; id: string },
  { device_type, serial, host_identifier: hostIdentifier }: EnrolledFacts,
  now: string,
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ device_type, enrolled_at: now })
    .set((row) => ({
      serial: row.fn.coalesce('devices.serial', row.val(serial)),
      host_identifier: row.fn.coalesce(row.val(hostIdentifier), 'devices.host_identifier'),
    }))
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
