import type { deviceGroupSearch, personGroupSearch } from '@muster/contract/groups.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const personGroupColumns = {
  name: { column: 'person_groups.name', type: 'text' },
} satisfies SearchColumns<typeof personGroupSearch>

const deviceGroupColumns = {
  created_at: { column: 'device_groups.created_at', type: 'timestamptz' },
  name: { column: 'device_groups.name', type: 'text' },
  description: { column: 'device_groups.description', type: 'text' },
} satisfies SearchColumns<typeof deviceGroupSearch>

const personGroupsById: Keyset = { id: { column: 'person_groups.id', type: 'bigint' }, direction: 'asc' }
const deviceGroupsById: Keyset = { id: { column: 'device_groups.id', type: 'bigint' }, direction: 'asc' }

const fromPersonGroups = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('person_groups')
    .select(['person_groups.id', 'person_groups.name'])
    .where(inOrganization('person_groups', organizationId))

export type PersonGroupRow = Awaited<ReturnType<typeof listPersonGroups>>[number]

const personGroupsOnPage = (reader: Reader, page: ListPage) =>
  fromPersonGroups(reader, page.organizationId).$call(onPage(page, personGroupsById, personGroupColumns))

export const listPersonGroups = (reader: Reader, page: ListPage) => personGroupsOnPage(reader, page).execute()

export const listGroupsOfPerson = (reader: Reader, page: ListPage<{ readonly personId: string }>) =>
  personGroupsOnPage(reader, page)
    .where((build) =>
      build.exists(
        build
          .selectFrom('person_group_members as member')
          .select('member.person_id')
          .whereRef('member.organization_id', '=', 'person_groups.organization_id')
          .whereRef('member.person_group_id', '=', 'person_groups.id')
          .where('member.person_id', '=', page.params.personId),
      ),
    )
    .execute()

export const findPersonGroup = (reader: Reader, organizationId: string, id: string) =>
  fromPersonGroups(reader, organizationId).where('person_groups.id', '=', id).executeTakeFirst()

/** As `findPersonGroup`; nobody changes the group, or names it elsewhere, before the transaction ends. */
export const lockPersonGroup = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('person_groups')
    .select(['id', 'name'])
    .where(inOrganization('person_groups', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Whether a nested list of the group can be asked for. */
export const personGroupExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> =>
  (await findPersonGroup(reader, organizationId, id)) !== undefined

const fromDeviceGroups = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('device_groups')
    .select(['id', 'created_at', 'name', 'description', 'members_count'])
    .where(inOrganization('device_groups', organizationId))

export type DeviceGroupRow = Awaited<ReturnType<typeof listDeviceGroups>>[number]

export const listDeviceGroups = (reader: Reader, page: ListPage) =>
  fromDeviceGroups(reader, page.organizationId)
    .$call(onPage(page, deviceGroupsById, deviceGroupColumns))
    .execute()

export const findDeviceGroup = (reader: Reader, organizationId: string, id: string) =>
  fromDeviceGroups(reader, organizationId).where('id', '=', id).executeTakeFirst()

/** Nobody changes the group, or names it in the configuration of a check, before the transaction ends. */
export const lockDeviceGroup = (tx: Tx, organizationId: string, id: string) =>
  tx
    .selectFrom('device_groups')
    .select(['name', 'description'])
    .where(inOrganization('device_groups', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Whether a nested list of the group can be asked for. */
export const deviceGroupExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> =>
  (await findDeviceGroup(reader, organizationId, id)) !== undefined

/** The names of people by their identifiers; who is not in the organization is left out. */
export async function listNames(
  reader: Reader,
  organizationId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const people = await reader
    .selectFrom('people')
    .select(['id', 'name'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', sql<string>`any(${ids}::bigint[])`)
    .execute()
  return new Map(people.map(({ id, name }) => [id, name]))
}
