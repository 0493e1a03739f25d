import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { TableRecord } from '../reporting-table.ts'
import { personColumns, personDeviceColumns, personGroupColumns } from './live-columns.ts'
import { recordsOf } from './table-records.ts'

const byPerson: Keyset = { id: { column: 'people.id', type: 'bigint' }, direction: 'asc' }

export async function listPersonPeople(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const rows = await reader
    .selectFrom('people')
    .select(['people.id as person_id', 'people.name as person_name', 'people.email', 'people.usernames'])
    .select(['people.created_at', 'people.last_authenticated_at'])
    .where(inOrganization('people', page.organizationId))
    .where('people.deprovisioned_at', 'is', null)
    .$call(onPage(page, byPerson, { person_id: { column: 'people.id', type: 'bigint' } }))
    .execute()
  return recordsOf(personColumns, rows, ({ person_id }) => person_id)
}

const byMembership: Keyset = {
  sort: { column: 'person_group_members.person_id', type: 'bigint' },
  id: { column: 'person_group_members.person_group_id', type: 'bigint' },
  direction: 'asc',
}

export async function listPersonGroupMembers(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const person = { column: 'person_group_members.person_id', type: 'bigint' } as const
  const rows = await reader
    .selectFrom('person_group_members')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'person_group_members.organization_id')
        .onRef('people.id', '=', 'person_group_members.person_id')
        .on('people.deprovisioned_at', 'is', null),
    )
    .innerJoin('person_groups', (join) =>
      join
        .onRef('person_groups.organization_id', '=', 'person_group_members.organization_id')
        .onRef('person_groups.id', '=', 'person_group_members.person_group_id'),
    )
    .select(['person_group_members.person_id', 'people.name as person_name', 'people.email'])
    .select(['person_group_members.person_group_id as group_id', 'person_groups.name as group_name'])
    .where(inOrganization('person_group_members', page.organizationId))
    .$call(onPage({ ...page, after: page.after?.split('-') }, byMembership, { person_id: person }))
    .execute()
  return recordsOf(personGroupColumns, rows, ({ person_id, group_id }) => `${person_id}-${group_id}`)
}

const byOwner: Keyset = {
  sort: { column: 'devices.registered_owner_id', type: 'bigint' },
  id: { column: 'devices.id', type: 'bigint' },
  direction: 'asc',
}

export async function listPersonDevices(reader: Reader, page: ListPage): Promise<TableRecord[]> {
  const person = { column: 'devices.registered_owner_id', type: 'bigint' } as const
  const rows = await reader
    .selectFrom('devices')
    .innerJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .select(['people.id as person_id', 'people.name as person_name', 'people.email', 'devices.id as device_id'])
    .select(['devices.name as device_name', 'devices.device_type', 'devices.operating_system'])
    .select(['devices.hardware_model', 'devices.serial', 'devices.auth_state', 'devices.will_block_at'])
    .select(['devices.registered_at', 'presence.last_seen_at'])
    .where(inOrganization('devices', page.organizationId))
    .where('devices.registered_owner_id', 'is not', null)
    .where('devices.deleted_at', 'is', null)
    .$call(onPage({ ...page, after: page.after?.split('-') }, byOwner, { person_id: person }))
    .execute()
  return recordsOf(personDeviceColumns, rows, ({ person_id, device_id }) => `${person_id}-${device_id}`)
}
