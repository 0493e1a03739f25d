import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { lockDeviceGroup } from './queries.ts'

export type DeviceGroupChange = {
  organizationId: string
  groupId: string
  /** What is left out stays. */
  name?: string | undefined
  /** Null or blank takes it away. */
  description?: string | null | undefined
  actor: Actor
  now: string
}

/** Gives a group another name or description; what is as it was writes nothing. Fails with not_found, and with invalid. */
export async function changeDeviceGroup(tx: Tx, change: DeviceGroupChange): Promise<void> {
  const { organizationId, groupId, actor, now } = change
  const group = orNotFound(await lockDeviceGroup(tx, organizationId, groupId))
  const name = change.name?.trim() ?? group.name
  const description = change.description === undefined ? group.description : change.description?.trim() || null
  if (name === '') fail('invalid', { errors: [{ field: 'name', message: 'must not be blank' }] })
  const quoted = (text: string | null) => (text === null ? 'nothing' : `"${text}"`)
  const sentences = [
    name === group.name ? undefined : `Renamed the device group "${group.name}" to "${name}".`,
    description === group.description
      ? undefined
      : `Changed the description of the device group "${name}" from ${quoted(group.description)} to ${quoted(description)}.`,
  ].filter((sentence) => sentence !== undefined)
  if (sentences.length === 0) return
  await tx
    .updateTable('device_groups')
    .set({ name, description })
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', groupId)
    .execute()
  for (const sentence of sentences) {
    const about = { device_group: groupId }
    await recordAudit(tx, { organizationId, actor, about, description: sentence, now })
  }
}
