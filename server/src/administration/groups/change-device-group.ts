import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockDeviceGroup } from './queries.ts'

export type DeviceGroupChange = {
  groupId: string
  /** What is left out stays. */
  name?: string | undefined
  /** Null or blank takes it away. */
  description?: string | null | undefined
}

/** Gives a group another name or description; what is as it was writes nothing. Fails with not_found, and with invalid. */
export async function changeDeviceGroup(tx: Tx, change: DeviceGroupChange, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { groupId } = change
  const group = orNotFound(await lockDeviceGroup(tx, organizationId, groupId))
  const name = change.name?.trim() ?? group.name
  const description = change.description === undefined ? group.description : change.description?.trim() || null
  if (name === '') fail('invalid', { errors: [{ field: 'name', message: 'must not be blank' }] })
  const quoted = (text: string | null) => (text === null ? 'nothing' : `"${text}"`)
  const sentences = {
    name: `Renamed the device group "${group.name}" to "${name}".`,
    description: `Changed the description of the device group "${name}" from ${quoted(group.description)} to ${quoted(description)}.`,
  }
  const changes = changesBetween(group, { name, description }, ['name', 'description'])
  if (changes.length === 0) return
  await tx
    .updateTable('device_groups')
    .set({ name, description })
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', groupId)
    .execute()
  for (const change of changes) {
    const entry = { action: 'device_group.updated', about: { device_group: groupId } } as const
    await recordAudit(tx, { ...entry, description: sentences[change.field], changes: [change] }, context)
  }
}
