import type { Tx } from '../../base/db/transact.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

export type NewDeviceGroup = {
  organizationId: string
  name: string
  description: string | null
  actor: Actor
  now: string
}

/** Makes a device group without members. Returns its identifier. */
export async function createDeviceGroup(tx: Tx, group: NewDeviceGroup): Promise<string> {
  const { organizationId, name, description, actor, now } = group
  const { id } = await tx
    .insertInto('device_groups')
    .values({ organization_id: organizationId, name, description, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { device_group: id },
    description: `Created the device group "${name}".`,
    now,
  })
  return id
}
