import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { lockDevice } from './lock-device.ts'

type Description = {
  organizationId: string
  deviceId: string
  name?: string | undefined
  /** Null takes the note away. */
  note?: string | null | undefined
  actor: Actor
  now: string
}

/** Gives a device another name or note. What is as it was writes nothing. */
export async function describeDevice(tx: Tx, description: Description): Promise<void> {
  const { organizationId, deviceId, actor, now } = description
  const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
  const before = await readNote(tx, organizationId, deviceId)
  const { name = device.name, note = before } = description
  const sentences = [
    name === device.name ? undefined : `Renamed the device "${device.name}" to "${name}".`,
    note === before ? undefined : noteSentence(name, before, note),
  ].filter((sentence) => sentence !== undefined)
  if (sentences.length === 0) return
  await tx
    .updateTable('devices')
    .set({ name, note, ...(name !== device.name && { is_named: true }) })
    .where(inOrganization('devices', organizationId))
    .where('id', '=', deviceId)
    .execute()
  for (const sentence of sentences) {
    await recordAudit(tx, { organizationId, actor, about: { device: deviceId }, description: sentence, now })
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
