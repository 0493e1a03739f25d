import type { DeviceSort } from '@muster/contract/console-values.ts'
import type { DeviceViewFilter, DeviceViewListing } from '@muster/contract/console-views.ts'
import type { RowCount } from '@muster/contract/pagination.ts'
import { sql } from 'kysely'
import { folded } from '../../base/db/folded.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { standingAt } from '../../inventory/devices/standing.ts'
import { type ChosenOrder, keyOfPlace, placeIn } from './chosen-order.ts'
import { devicesOf, urgency } from './device-filter.ts'
import { countDevicesOfDay, listDevicesOfDay } from './devices-of-day.ts'

const id = { column: 'devices.id', type: 'bigint' } as const
const name = { column: sql`${folded('devices.name')} collate "C"`, type: 'text' } as const
const timed = (column: ReturnType<typeof sql>) => ({ column, type: 'timestamptz' }) as const

/** Each but those by presence has an index of exactly these expressions. */
const orders: Readonly<Record<DeviceSort | 'urgency', ChosenOrder>> = {
  urgency: { id, sort: timed(urgency), direction: 'asc' },
  name: { id, sort: name, direction: 'asc' },
  '-name': { id, sort: name, direction: 'desc' },
  will_block_at: { id, sort: timed(sql`coalesce(devices.will_block_at, 'infinity')`), direction: 'asc' },
  '-will_block_at': { id, sort: timed(sql`coalesce(devices.will_block_at, '-infinity')`), direction: 'desc' },
  last_seen_at: { id, sort: timed(sql`coalesce(presence.last_seen_at, 'infinity')`), direction: 'asc' },
  '-last_seen_at': { id, sort: timed(sql`coalesce(presence.last_seen_at, '-infinity')`), direction: 'desc' },
}

export type DeviceViewRow = Awaited<ReturnType<typeof listDeviceViews>>[number]

/** As they stand now, or as they stood on a day. */
export async function listDeviceViews(reader: Reader, page: ListPage, { as_of, ...listing }: DeviceViewListing) {
  return as_of === undefined
    ? listPresentDevices(reader, page, listing)
    : listDevicesOfDay(reader, page, { as_of, ...listing })
}

function listPresentDevices(reader: Reader, page: ListPage, { sort: asked, ...filter }: DeviceViewListing) {
  const { organizationId, after, limit, now } = page
  const sort = asked ?? 'urgency'
  const order = orders[sort]
  return devicesOf(reader, organizationId, filter, now)
    .select([
      'devices.id',
      'devices.name',
      'devices.device_type',
      'devices.will_block_at',
      'devices.operating_system',
      'devices.serial',
      'devices.registration_suspended_at',
      'devices.identity_conflict_since',
      'people.id as owner_id',
      'people.name as owner_name',
      'presence.last_seen_at',
      'devices.deleted_at',
      standingAt(now).as('standing'),
      placeIn(sort, order),
      sql<string | null>`case devices.auth_state when 'blocked' then (
        select min(issues.blocks_device_at) from issues where issues.organization_id = devices.organization_id
          and issues.device_id = devices.id and issues.resolved_at is null and not issues.exempted) end`.as(
        'blocked_since',
      ),
      sql<number>`(select count(*)::int from issues where issues.organization_id = devices.organization_id
        and issues.device_id = devices.id and issues.resolved_at is null)`.as('open_issues'),
    ])
    .$call(nextRows(order, keyOfPlace(sort, after), limit))
    .execute()
}

export async function countDeviceViews(
  reader: Reader,
  organizationId: string,
  { as_of, ...filter }: DeviceViewFilter,
  now: string,
): Promise<RowCount> {
  if (as_of !== undefined) return { count: await countDevicesOfDay(reader, organizationId, { as_of, ...filter }, now) }
  return devicesOf(reader, organizationId, filter, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
}
