import type { deviceSearch } from '@muster/contract/devices.ts'
import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { compileList } from '../../base/lists/compile-list.ts'
import type { Keyset } from '../../base/lists/keyset.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { onPage } from '../../base/lists/on-page.ts'
import type { SearchColumns } from '../../base/lists/where-search.ts'
import { shownState } from './rules.ts'

/** The stored form of what the API calls a state. */
const storedState = (shown: string): string | undefined =>
  Object.entries(shownState).find(([, name]) => name === shown)?.[0]

const searchColumns = {
  id: { column: 'devices.id', type: 'bigint' },
  name: { column: 'devices.name', type: 'text' },
  registered_at: { column: 'devices.registered_at', type: 'timestamptz' },
  last_authenticated_at: { column: 'devices.last_authenticated_at', type: 'timestamptz' },
  serial: { column: 'devices.serial', type: 'text' },
  note: { column: 'devices.note', type: 'text' },
  hardware_uuid: { column: 'devices.hardware_uuid', type: 'text' },
  registered_owner: {
    ...{ column: 'owner.email', type: 'text' },
    elsewhere: {
      reference: 'devices.registered_owner_id',
      // Not `in`, which the planner turns into a join only where it names nothing of the list.
      refersTo: (isMeant) => sql`exists (select from people as owner
        where owner.organization_id = devices.organization_id and owner.id = devices.registered_owner_id and ${isMeant})`,
    },
  },
  device_type: { column: 'devices.device_type', type: 'text' },
  auth_state: { column: 'devices.auth_state', type: 'text', storedValue: storedState },
  will_block_at: { column: 'devices.will_block_at', type: 'timestamptz' },
  registration_suspended_at: { column: 'devices.registration_suspended_at', type: 'timestamptz' },
  identity_conflict_since: { column: 'devices.identity_conflict_since', type: 'timestamptz' },
} satisfies SearchColumns<typeof deviceSearch>

const byId: Keyset = { id: { column: 'devices.id', type: 'bigint' }, direction: 'asc' }

type PersonGroupRow = { id: string; name: string }

/** Read only for the one mode that has groups: the others skip the subquery. */
const personGroups = sql<PersonGroupRow[] | null>`case devices.authentication_mode
  when 'only_registered_owner_or_group_members' then (
    select jsonb_agg(jsonb_build_object('id', person_groups.id::text, 'name', person_groups.name) order by person_groups.id)
    from device_authentication_groups as allowed
    join person_groups on person_groups.organization_id = allowed.organization_id
      and person_groups.id = allowed.person_group_id
    where allowed.organization_id = devices.organization_id and allowed.device_id = devices.id
  ) end`.as('person_groups')

/** By itself rather than joined: looked up for the rows of the page only, not for all that a search finds. */
const lastSeenAt = sql<string | null>`(
  select presence.last_seen_at from device_presence as presence
  where presence.organization_id = devices.organization_id and presence.device_id = devices.id
)`.as('last_seen_at')

const fromDevices = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('devices')
    .select([
      'devices.id',
      'devices.name',
      'devices.registered_at',
      'devices.last_authenticated_at',
      lastSeenAt,
      'devices.registered_owner_id',
      'devices.registration_suspended_at',
      'devices.agent_version',
      'devices.enrolled_at',
      'devices.identity_conflict_since',
      'devices.operating_system',
      'devices.hardware_model',
      'devices.serial',
      'devices.hardware_uuid',
      'devices.note',
      'devices.auth_state',
      'devices.will_block_at',
      'devices.product_image_url',
      'devices.authentication_mode',
      'devices.device_type',
      'devices.form_factor',
      personGroups,
    ])
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)

export type DeviceRow = Awaited<ReturnType<typeof listDevices>>[number]

const deviceList = (reader: Reader, page: ListPage) =>
  fromDevices(reader, page.organizationId).$call(onPage(page, byId, searchColumns))

export const listDevices = compileList(deviceList)

export const listDevicesOfPerson = compileList((reader, page: ListPage<{ readonly personId: string }>) =>
  deviceList(reader, page).where('devices.registered_owner_id', '=', page.params.personId),
)

export const listDevicesOfGroup = compileList((reader, page: ListPage<{ readonly deviceGroupId: string }>) =>
  deviceList(reader, page).innerJoin('device_group_members as member', (join) =>
    join
      .onRef('member.organization_id', '=', 'devices.organization_id')
      .onRef('member.device_id', '=', 'devices.id')
      .on('member.device_group_id', '=', page.params.deviceGroupId),
  ),
)

export const findDevice = (reader: Reader, organizationId: string, id: string) =>
  fromDevices(reader, organizationId).where('devices.id', '=', id).executeTakeFirst()

/** Undefined for a device that is not there or deleted. */
export async function findDeviceType(reader: Reader, organizationId: string, id: string) {
  const row = await reader
    .selectFrom('devices')
    .select('device_type')
    .where(inOrganization('devices', organizationId))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return row?.device_type
}

export const deviceExists = async (reader: Reader, organizationId: string, id: string): Promise<boolean> =>
  (await findDeviceType(reader, organizationId, id)) !== undefined
