import type { PersonGroupViewFilter } from '@muster/contract/console-groups.ts'
import { sql } from 'kysely'
import { searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'

const byId: Keyset = { id: { column: 'person_groups.id', type: 'bigint' }, direction: 'asc' }

const groupsOf = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('person_groups')
    .select(['person_groups.id', 'person_groups.name'])
    .select([
      sql<number>`(select count(*)::int from person_group_members as member
        join people on people.organization_id = member.organization_id and people.id = member.person_id
        where member.organization_id = person_groups.organization_id and member.person_group_id = person_groups.id
          and people.deprovisioned_at is null)`.as('members_count'),
      sql<number>`(select count(*)::int from device_authentication_groups as mode
        where mode.organization_id = person_groups.organization_id and mode.person_group_id = person_groups.id)`.as(
        'devices_count',
      ),
      sql<boolean>`exists (select from scim_groups where scim_groups.organization_id = person_groups.organization_id
        and scim_groups.person_group_id = person_groups.id)`.as('is_synced'),
    ])
    .where(inOrganization('person_groups', organizationId))

export function listPersonGroupViews(reader: Reader, page: ListPage, filter: PersonGroupViewFilter) {
  const pattern = searchPattern(filter.search)
  return groupsOf(reader, page.organizationId)
    .$if(pattern !== undefined, (query) => query.where(sql<boolean>`folded(person_groups.name) like ${pattern}`))
    .$call(nextRows(byId, page.after, page.limit))
    .execute()
}

export const findPersonGroupView = (reader: Reader, organizationId: string, id: string) =>
  groupsOf(reader, organizationId).where('person_groups.id', '=', id).executeTakeFirst()
