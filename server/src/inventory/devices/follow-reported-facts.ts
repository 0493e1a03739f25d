import { reportedFields } from '@muster/contract/devices.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { announce } from '../../signals/events/announce.ts'

/** What agents report of their machine again and again; what they left out or could not read is absent. */
export type ReportedFacts = Partial<Record<(typeof reportedFields)[number], string>>

export type FactChange = { field: (typeof reportedFields)[number]; from: string | null; to: string }

type Place = { organizationId: string; deviceId: string }

/** What a report would change of a living device. A name that an administrator gave stays. */
export async function findFactChanges(reader: Reader, place: Place, facts: ReportedFacts): Promise<FactChange[]> {
  const told = reportedFields.filter((field) => facts[field] !== undefined)
  if (told.length === 0) return []
  const device = await reader
    .selectFrom('devices')
    .select([...reportedFields, 'is_named'])
    .where(inOrganization('devices', place.organizationId))
    .where('id', '=', place.deviceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!device) return []
  return told.flatMap((field) => {
    const [from, to] = [device[field], facts[field] ?? '']
    const stays = from === to || (field === 'name' && device.is_named)
    return stays ? [] : [{ field, from, to }]
  })
}

/** Takes over what the agent of a locked device reports, and announces it; what is known already writes nothing. */
export async function followReportedFacts(
  tx: Tx,
  place: Place,
  facts: ReportedFacts,
  { cause, now }: { cause: string; now: string },
): Promise<void> {
  const changes = await findFactChanges(tx, place, facts)
  if (changes.length === 0) return
  const { name } = await tx
    .updateTable('devices')
    .set(Object.fromEntries(changes.map(({ field, to }) => [field, to])))
    .where(inOrganization('devices', place.organizationId))
    .where('id', '=', place.deviceId)
    .returning('name')
    .executeTakeFirstOrThrow()
  await announce(tx, [{ type: 'devices.updated', ...place, deviceName: name, changes, cause, at: now }])
}
