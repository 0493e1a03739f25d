import type { PersonView, PersonViewFilter } from '@muster/contract/console-records.ts'
import { sql } from 'kysely'
import { searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

const byId: Keyset = { id: { column: 'people.id', type: 'bigint' }, direction: 'asc' }

/** The devices of a person, by the index of owners. */
const ownDevices = sql`devices where devices.organization_id = people.organization_id
  and devices.registered_owner_id = people.id and devices.deleted_at is null`

function peopleOf(reader: Reader, organizationId: string, filter: PersonViewFilter) {
  const pattern = searchPattern(filter.search)
  let query = reader
    .selectFrom('people')
    .where(inOrganization('people', organizationId))
    .where('people.deprovisioned_at', filter.status === 'deprovisioned' ? 'is not' : 'is', null)
  if (filter.devices === 'some') query = query.where(sql<boolean>`exists (select from ${ownDevices})`)
  if (filter.devices === 'none') query = query.where(sql<boolean>`not exists (select from ${ownDevices})`)
  if (filter.devices === 'blocked') {
    query = query.where(sql<boolean>`exists (select from ${ownDevices} and devices.auth_state = 'blocked')`)
  }
  if (filter.group_id !== undefined) {
    query = query.where(sql<boolean>`exists (select from person_group_members as member
      where member.organization_id = people.organization_id and member.person_id = people.id
        and member.person_group_id = ${filter.group_id}::bigint)`)
  }
  if (pattern === undefined) return query
  return query.where(sql<boolean>`(folded(people.name) like ${pattern} or folded(people.email) like ${pattern})`)
}

export const listPersonViews = (reader: Reader, page: ListPage, filter: PersonViewFilter) =>
  peopleOf(reader, page.organizationId, filter)
    .select(['people.id', 'people.name', 'people.email', 'people.created_at', 'people.last_authenticated_at'])
    .select('people.deprovisioned_at')
    .select([
      sql<number>`(select count(*)::int from ${ownDevices})`.as('devices_count'),
      sql<PersonView['worst_state']>`(select devices.auth_state from ${ownDevices}
        order by array_position('{blocked,will_block,notified,good}', devices.auth_state) limit 1)`.as('worst_state'),
      sql<number>`(select count(*)::int from person_group_members as member
        where member.organization_id = people.organization_id and member.person_id = people.id)`.as('groups_count'),
    ])
    .$call(nextRows(byId, page.after, page.limit))
    .execute()

export const countPersonViews = async (reader: Reader, organizationId: string, filter: PersonViewFilter) =>
  peopleOf(reader, organizationId, filter).select(sql<number>`count(*)::int`.as('count')).executeTakeFirstOrThrow()
