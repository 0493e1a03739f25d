import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

export type NewDeviceGroup = { name: string; description: string | null }

/** Makes a device group without members. Returns its identifier. */
export async function createDeviceGroup(tx: Tx, group: NewDeviceGroup, context: ChangeContext): Promise<string> {
  const { organizationId, now } = context
  const { name, description } = group
  const { id } = await tx
    .insertInto('device_groups')
    .values({ organization_id: organizationId, name, description, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(
    tx,
    { action: 'device_group.created', about: { device_group: id }, description: `Created the device group "${name}".` },
    context,
  )
  return id
}
