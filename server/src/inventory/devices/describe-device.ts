import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockDevice } from './lock-device.ts'

type Description = {
  deviceId: string
  name?: string | undefined
  /** Null takes the note away. */
  note?: string | null | undefined
}

/** Gives a device another name or note. What is as it was writes nothing. */
export async function describeDevice(tx: Tx, description: Description, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const { deviceId } = description
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const before = await readNote(tx, organizationId, deviceId)
  const { name = device.name, note = before } = description
  const changes = changesBetween({ name: device.name, note: before }, { name, note }, ['name', 'note'])
  if (changes.length === 0) return
  await tx
    .updateTable('devices')
    .set({ name, note, ...(name !== device.name && { is_named: true }) })
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .execute()
  const sentences = {
    name: `Renamed the device "${device.name}" to "${name}".`,
    note: noteSentence(name, before, note),
  }
  for (const change of changes) {
    const entry = { action: 'device.updated', about: { device: deviceId } } as const
    await recordAudit(tx, { ...entry, description: sentences[change.field], changes: [change] }, context)
  }
}

async function readNote(tx: Tx, organizationId: string, deviceId: string): Promise<string | null> {
  const { note } = await tx
    .selectFrom('devices')
    .select('note')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  return note
}

function noteSentence(name: string, before: string | null, note: string | null): string {
  if (note === null) return `Took the note "${before}" from the device "${name}".`
  if (before === null) return `Noted "${note}" about the device "${name}".`
  return `Changed the note about the device "${name}" from "${before}" to "${note}".`
}
