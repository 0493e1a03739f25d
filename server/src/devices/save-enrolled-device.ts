import { type Insertable, sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Database } from '../db/schema.ts'
import type { Tx } from '../db/transact.ts'

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
 * Takes over what a machine that enrolled again says of itself; what makes it the same machine stays, and so does a name
 * that an administrator gave.
 */
export async function renewDevice(
  tx: Tx,
  device: { organization_id: string; id: string },
  { name, device_type, operating_system, hardware_model, agent_version }: EnrolledFacts,
  now: string,
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({ device_type, operating_system, hardware_model, agent_version, enrolled_at: now })
    .set({ name: sql<string>`case when is_named then devices.name else ${name} end` })
    .where(inOrganization('devices', device.organization_id))
    .where('id', '=', device.id)
    .execute()
}
