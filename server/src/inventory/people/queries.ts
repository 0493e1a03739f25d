import type { personSearch } from '@muster/contract/people.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'

const searchColumns = {
  id: { column: 'people.id', type: 'bigint' },
  email: { column: 'people.email', type: 'text' },
  name: { column: 'people.name', type: 'text' },
  last_authenticated_at: { column: 'people.last_authenticated_at', type: 'timestamptz' },
} satisfies SearchColumns<typeof personSearch>

const byId: Keyset = { id: { column: 'people.id', type: 'bigint' }, direction: 'asc' }

/** With a limit, which keeps the planner from reading every device of the organization for a page of people. */
const hasRegisteredDevice = sql<boolean>`((
  select true from devices
  where devices.organization_id = people.organization_id and devices.registered_owner_id = people.id
    and devices.deleted_at is null
  limit 1
) is not null)`.as('has_registered_device')

const fromPeople = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('people')
    .select(['people.id', 'people.name', 'people.email', 'people.usernames'])
    .select(['people.created_at', 'people.last_authenticated_at'])
    .select(hasRegisteredDevice)
    .where(inOrganization('people', organizationId))

export type PersonRow = Awaited<ReturnType<typeof listPeople>>[number]

const peopleOnPage = (reader: Reader, page: ListPage) =>
  fromPeople(reader, page.organizationId).$call(onPage(page, byId, searchColumns))

export const listPeople = (reader: Reader, page: ListPage) =>
  peopleOnPage(reader, page).where('people.deprovisioned_at', 'is', null).execute()

export const listDeprovisionedPeople = (reader: Reader, page: ListPage) =>
  peopleOnPage(reader, page).where('people.deprovisioned_at', 'is not', null).execute()

export const listPeopleOfGroup = (reader: Reader, page: ListPage<{ readonly personGroupId: string }>) =>
  peopleOnPage(reader, page)
    .innerJoin('person_group_members as member', (join) =>
      join.onRef('member.organization_id', '=', 'people.organization_id').onRef('member.person_id', '=', 'people.id'),
    )
    .where('member.person_group_id', '=', page.params.personGroupId)
    .where('people.deprovisioned_at', 'is', null)
    .execute()

/** A deprovisioned person is found too: other records link to them for as long as they are kept. */
export const findPerson = (reader: Reader, organizationId: string, id: string) =>
  fromPeople(reader, organizationId).where('people.id', '=', id).executeTakeFirst()

/** Whether a nested list of the person can be asked for. */
export const personExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> => {
  const row = await reader
    .selectFrom('people')
    .select('id')
    .where(inOrganization('people', organizationId))
    .where('id', '=', id)
    .where('deprovisioned_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export const isDeprovisioned = async (reader: Reader, organizationId: string, id: string): Promise<boolean> => {
  const row = await reader
    .selectFrom('people')
    .select('id')
    .where(inOrganization('people', organizationId))
    .where('id', '=', id)
    .where('deprovisioned_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}
