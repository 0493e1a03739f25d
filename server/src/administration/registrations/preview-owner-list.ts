import type { OwnerListLine } from '@muster/contract/console-owners.ts'
import { sql } from 'kysely'
import { folded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { judgeLine, type ListedDevice } from './owner-list-rules.ts'
import { readOwnerList } from './read-owner-list.ts'

/** What a list of owners would change, line by line; changes nothing. Fails with invalid where it is no list. */
export async function previewOwnerList(reader: Reader, organizationId: string, csv: string): Promise<OwnerListLine[]> {
  const rows = readOwnerList(csv)
  const devices = await listDevices(reader, organizationId, distinct(rows.map(({ deviceText }) => deviceText)))
  const people = await listPeople(reader, organizationId, distinct(rows.map(({ email }) => foldText(email))))
  const seen = new Set<string>()
  return rows.map((row) => {
    const named = devices.get(foldText(row.deviceText)) ?? []
    const isRepeat = named.some(({ id }) => seen.has(id))
    for (const { id } of named) seen.add(id)
    return judgeLine(row, { devices: named, person: people.get(foldText(row.email)), isRepeat })
  })
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '')

/** By the folded serial number and by the folded hardware UUID. */
async function listDevices(reader: Reader, organizationId: string, texts: readonly string[]) {
  // As they are stored, which indexes find: hardly any is of mixed case.
  const spellings = distinct(texts.flatMap((text) => [text, text.toUpperCase(), text.toLowerCase()]))
  const devices = new Map<string, ListedDevice[]>()
  for (const column of ['serial', 'hardware_uuid'] as const) {
    const rows = await reader
      .selectFrom('devices')
      .leftJoin('people', (join) =>
        join
          .onRef('people.organization_id', '=', 'devices.organization_id')
          .onRef('people.id', '=', 'devices.registered_owner_id'),
      )
      .select(['devices.id', 'devices.name', `devices.${column} as text`])
      .select(['people.id as owner_id', 'people.name as owner_name', 'people.email as owner_email'])
      .where(inOrganization('devices', organizationId))
      .where(`devices.${column}`, '=', sql<string>`any(${spellings}::text[])`)
      .where('devices.deleted_at', 'is', null)
      .orderBy('devices.id')
      .execute()
    for (const { id, name, text, owner_id: ownerId, owner_name: ownerName, owner_email: email } of rows) {
      const key = foldText(text ?? '')
      const owner = ownerId === null ? null : { id: ownerId, name: ownerName ?? '', email: email ?? '' }
      const known = devices.get(key) ?? []
      if (!known.some((device) => device.id === id)) devices.set(key, [...known, { id, name, owner }])
    }
  }
  return devices
}

async function listPeople(reader: Reader, organizationId: string, emails: readonly string[]) {
  const rows = await reader
    .selectFrom('people')
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where(folded('email'), '=', sql<string>`any(${emails}::text[])`)
    .where('deprovisioned_at', 'is', null)
    // The one that others are compared with is set last.
    .orderBy('is_duplicate', 'desc')
    .execute()
  return new Map(rows.map((person) => [foldText(person.email), person]))
}
