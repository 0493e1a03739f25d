import type { OwnerListPreview } from '@muster/contract/owner-lists.ts'
import { sql } from 'kysely'
import { folded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { foldText } from '../../base/fold-text.ts'
import { judgeLines, type ListedDevice, type ReadCell } from './owner-list-rules.ts'
import { listPeopleByAccount } from './people-by-account.ts'
import { readOwnerList } from './read-owner-list.ts'

/** What a list of owners would change, line by line; changes nothing. Fails with invalid where it is no list. */
export async function previewOwnerList(reader: Reader, organizationId: string, csv: string): Promise<OwnerListPreview> {
  const { form, rows } = await readOwnerList(csv)
  const cells = rows.flatMap((row) => row.cells)
  const textsOf = (kind: ReadCell['means']) => cells.flatMap(({ means, text }) => (means === kind ? [text] : []))
  const devices = await listDevices(reader, organizationId, distinct(textsOf('device')))
  const addresses = distinct(textsOf('owner').map(foldText)).filter((text) => text.includes('@'))
  const byEmail = await listPeople(reader, organizationId, addresses)
  const byUsername = await listPeopleByAccount(reader, organizationId, addresses)
  const known = {
    devices: (text: string) => devices.get(foldText(text)) ?? [],
    people: (text: string) => [...(byEmail.get(foldText(text)) ?? []), ...(byUsername.get(foldText(text)) ?? [])],
  }
  return {
    separator: separatorNames[form.separator],
    names_line: form.namesLine,
    columns: form.columns.flatMap(({ name, means }) => (name === null ? [] : [{ name, means }])),
    lines: judgeLines(rows, known),
  }
}

const separatorNames = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== '')

/** By the folded serial number and by the folded hardware UUID. */
async function listDevices(reader: Reader, organizationId: string, texts: readonly string[]) {
  const devices = new Map<string, ListedDevice[]>()
  const wanted = distinct(texts.map(foldText))
  for (const column of ['devices.serial', 'devices.hardware_uuid'] as const) {
    const rows = await reader
      .selectFrom('devices')
      .innerJoin(wantedTexts(wanted), (join) => join.on(sql<boolean>`${folded(column)} = wanted.text`))
      .leftJoin('people', (join) =>
        join
          .onRef('people.organization_id', '=', 'devices.organization_id')
          .onRef('people.id', '=', 'devices.registered_owner_id'),
      )
      .select(['devices.id', 'devices.name', 'devices.deleted_at', `${column} as text`])
      .select(['people.id as owner_id', 'people.name as owner_name', 'people.email as owner_email'])
      .where(inOrganization('devices', organizationId))
      .orderBy('devices.id')
      .execute()
    // Asked for in the statement, it would suit an index of all names, which without statistics seems as good as the right one.
    const living = rows.filter((row) => row.deleted_at === null)
    for (const { id, name, text, owner_id: ownerId, owner_name: ownerName, owner_email: email } of living) {
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
    // Not by `any`: for that, the index that searches parts of names may be thought to be as good, and takes milliseconds each.
    .innerJoin(wantedTexts(emails), (join) => join.on(sql<boolean>`${folded('people.email')} = wanted.text`))
    .select(['id', 'name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('deprovisioned_at', 'is', null)
    // The one that others are compared with is set last.
    .orderBy('is_duplicate', 'desc')
    .execute()
  return new Map(rows.map((person) => [foldText(person.email), [person]]))
}

const wantedTexts = (texts: readonly string[]) =>
  sql<{ text: string }>`unnest(${texts}::text[])`.as<'wanted'>(sql`wanted (text)`)
