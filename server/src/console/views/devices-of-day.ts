import type { DayStandings, DeviceViewFilter, DeviceViewListing } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import { folded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { nextRows } from '../../base/lists/on-page.ts'
import { dayMs } from '../../base/time.ts'
import type { Standing } from '../../inventory/devices/standing.ts'
import { listComplianceDays } from '../../reporting/compliance-days/queries.ts'
import { type ChosenOrder, keyOfPlace, placeIn } from './chosen-order.ts'
import { conditionsOf } from './device-filter.ts'

const stood = sql<Standing>`device_standings.standing`
const rank = sql`case device_standings.standing when 'blocked' then 0 when 'will_block' then 1 when 'notified' then 2 else 3 end`
const id = { column: 'devices.id', type: 'bigint' } as const
const name = { column: sql`${folded('devices.name')} collate "C"`, type: 'text' } as const

const orders = {
  standing: { id, sort: { column: rank, type: 'bigint' }, direction: 'asc' },
  name: { id, sort: name, direction: 'asc' },
  '-name': { id, sort: name, direction: 'desc' },
} as const satisfies Readonly<Record<string, ChosenOrder>>

const isOrder = (text: string): text is keyof typeof orders => Object.hasOwn(orders, text)

type OfDay<Filter> = Filter & { readonly as_of: string }

/** Fails with invalid where a filter asks for a day that is not over, or for what no day has. */
export function refuseNoDay({ as_of: day, within }: DeviceViewFilter, now: string): void {
  if (day === undefined) return
  const time = Date.parse(`${day}T00:00:00.000Z`)
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && day > '2000-01-01'
  if (!isDay || day >= now.slice(0, 10)) {
    fail('invalid', { errors: [{ field: 'as_of', message: 'must be a day (UTC) that is over' }] })
  }
  if (within !== undefined) fail('invalid', { errors: [{ field: 'within', message: 'is not known of a past day' }] })
}

/** None of a day that was not counted. */
function devicesOfDay(reader: Reader, organizationId: string, filter: OfDay<DeviceViewFilter>, now: string) {
  refuseNoDay(filter, now)
  const day = filter.as_of
  let query = reader
    .selectFrom('device_standings')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'device_standings.organization_id')
        .onRef('devices.id', '=', 'device_standings.device_id'),
    )
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .where(inOrganization('device_standings', organizationId))
    .where(inOrganization('devices', organizationId))
    .where(sql<boolean>`device_standings.from_day <= ${day}::date and device_standings.until_day > ${day}::date`)
    .where(sql<boolean>`exists (select from compliance_days as counted
      where counted.organization_id = ${organizationId}::bigint and counted.day = ${day}::date)`)
  if (filter.standing !== undefined) query = query.where(stood, 'in', filter.standing.split(',') as Standing[])
  return query.where((build) => build.and(conditionsOf(organizationId, filter)))
}

/** The devices that a day's figures counted, as they stood at its end; else as they are now, the deleted among them. */
export function listDevicesOfDay(reader: Reader, page: ListPage, listing: OfDay<DeviceViewListing>) {
  const { organizationId, after, limit, now } = page
  const { sort: asked = 'standing', ...filter } = listing
  if (!isOrder(asked)) fail('invalid', { errors: [{ field: 'sort', message: 'must be by name as of a day' }] })
  const order = orders[asked]
  return devicesOfDay(reader, organizationId, filter, now)
    .select([
      'devices.id',
      'devices.name',
      'devices.device_type',
      'devices.operating_system',
      'devices.serial',
      'devices.registration_suspended_at',
      'devices.identity_conflict_since',
      'devices.deleted_at',
      'people.id as owner_id',
      'people.name as owner_name',
      stood.as('standing'),
      placeIn(`as of ${asked}`, order),
      sql<null>`null`.as('will_block_at'),
      sql<null>`null`.as('blocked_since'),
      sql<null>`null`.as('last_seen_at'),
      sql<null>`null`.as('open_issues'),
    ])
    .$call(nextRows(order, keyOfPlace(`as of ${asked}`, after), limit))
    .execute()
}

export async function countDevicesOfDay(
  reader: Reader,
  organizationId: string,
  filter: OfDay<DeviceViewFilter>,
  now: string,
): Promise<number> {
  const { count } = await devicesOfDay(reader, organizationId, filter, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** What the chart says of a day, and how many of its devices the list does not have. */
export async function describeDay(
  reader: Reader,
  organizationId: string,
  day: string,
  now: string,
): Promise<DayStandings> {
  refuseNoDay({ as_of: day }, now)
  const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
  const [[counted], listed] = await Promise.all([
    listComplianceDays(reader, organizationId, day, next),
    countDevicesOfDay(reader, organizationId, { as_of: day }, now),
  ])
  if (counted === undefined) return { day, standings: null, unlisted: 0 }
  const { day: _day, ...standings } = counted
  const total = Object.values(standings).reduce((sum, count) => sum + count, 0)
  return { day, standings, unlisted: Math.max(0, total - listed) }
}
