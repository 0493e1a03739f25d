import type { DeviceViewFilter } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Reader } from '../db/transact.ts'
import { standingAt } from '../devices/standing.ts'
import type { ListPage } from '../lists/list-page.ts'
import { patternOf } from './rules.ts'

const dayMs = 24 * 60 * 60_000
const before = (now: string, milliseconds: number): string => new Date(Date.parse(now) - milliseconds).toISOString()

/** What is to be done first: blocked, then what blocks soonest, then the rest. */
const rank = sql<number>`case devices.auth_state when 'blocked' then 0 when 'will_block' then 1 when 'notified' then 2 else 3 end`
const deadline = sql`coalesce(devices.will_block_at, 'infinity')`

function devicesOf(reader: Reader, organizationId: string, filter: DeviceViewFilter, now: string) {
  const standing = standingAt(now)
  let query = reader
    .selectFrom('devices')
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.organization_id', '=', 'devices.organization_id')
        .onRef('presence.device_id', '=', 'devices.id'),
    )
    .leftJoin('people', (join) =>
      join
        .onRef('people.organization_id', '=', 'devices.organization_id')
        .onRef('people.id', '=', 'devices.registered_owner_id'),
    )
    .where(inOrganization('devices', organizationId))
    .where('devices.deleted_at', 'is', null)
  if (filter.standing !== undefined) query = query.where(standing, 'in', filter.standing.split(',') as never)
  if (filter.platform !== undefined)
    query = query.where('devices.device_type', 'in', filter.platform.split(',') as never)
  if (filter.owner !== undefined) {
    query = query.where('devices.registered_owner_id', filter.owner === 'none' ? 'is' : 'is not', null)
  }
  if (filter.within !== undefined) {
    query = query.where('devices.will_block_at', '<=', before(now, -dayMs)).where(standing, '=', 'will_block')
  }
  if (filter.owner_id !== undefined) query = query.where('devices.registered_owner_id', '=', filter.owner_id)
  if (filter.group_id !== undefined) {
    query = query.where(sql<boolean>`exists (select from device_group_members as member
      where member.organization_id = devices.organization_id and member.device_group_id = ${filter.group_id}::bigint
        and member.device_id = devices.id)`)
  }
  const pattern = patternOf(filter.search)
  if (pattern === undefined) return query
  return query.where(
    sql<boolean>`(devices.name ilike ${pattern} or devices.serial ilike ${pattern} or devices.note ilike ${pattern}
      or people.name ilike ${pattern} or people.email ilike ${pattern})`,
  )
}

export type DeviceViewRow = Awaited<ReturnType<typeof listDeviceViews>>[number]

/** In the order of what is to be done first; the place in it is the cursor. */
export function listDeviceViews(reader: Reader, page: ListPage, filter: DeviceViewFilter) {
  const { organizationId, after, limit, now } = page
  const place = after?.split(' ')
  return devicesOf(reader, organizationId, filter, now)
    .select([
      'devices.id',
      'devices.name',
      'devices.device_type',
      'devices.will_block_at',
      'devices.operating_system',
      'devices.serial',
      'people.id as owner_id',
      'people.name as owner_name',
      'presence.last_seen_at',
      standingAt(now).as('standing'),
      rank.as('rank'),
      sql<string | null>`case devices.auth_state when 'blocked' then (
        select min(issues.blocks_device_at) from issues where issues.organization_id = devices.organization_id
          and issues.device_id = devices.id and issues.resolved_at is null and not issues.exempted) end`.as(
        'blocked_since',
      ),
      sql<number>`(select count(*)::int from issues where issues.organization_id = devices.organization_id
        and issues.device_id = devices.id and issues.resolved_at is null)`.as('open_issues'),
    ])
    .$if(place !== undefined, (query) =>
      query.where(
        sql<boolean>`(${rank}, ${deadline}, devices.id) > (${place?.[0]}::int, ${place?.[1]}::timestamptz, ${place?.[2]}::bigint)`,
      ),
    )
    .orderBy(rank)
    .orderBy(deadline)
    .orderBy('devices.id')
    .limit(limit)
    .execute()
}

export const placeOf = (row: DeviceViewRow): string => `${row.rank} ${row.will_block_at ?? 'infinity'} ${row.id}`

export async function countDeviceViews(
  reader: Reader,
  organizationId: string,
  filter: DeviceViewFilter,
  now: string,
): Promise<number> {
  const found = await devicesOf(reader, organizationId, filter, now)
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow()
  return found.count
}

export const countStandings = (reader: Reader, organizationId: string, now: string) =>
  devicesOf(reader, organizationId, {}, now)
    .select([
      standingAt(now).as('standing'),
      sql<number>`count(*)::int`.as('devices'),
      sql<number>`count(*) filter (where devices.will_block_at <= ${before(now, -dayMs)}::timestamptz)::int`.as('soon'),
      sql<number>`count(*) filter (where presence.last_seen_at < ${before(now, 60 * 60_000)}::timestamptz)::int`.as(
        'late',
      ),
    ])
    .groupBy(sql`1`)
    .execute()

/** Blocked devices, then those that will be soonest, each with the issue that does it. */
export const listNextToBlock = (reader: Reader, organizationId: string, now: string, limit: number) =>
  devicesOf(reader, organizationId, {}, now)
    .where(standingAt(now), 'in', ['blocked', 'will_block'])
    .leftJoinLateral(
      (build) =>
        build
          .selectFrom('issues')
          .select(['issues.title', 'issues.blocks_device_at'])
          .whereRef('issues.organization_id', '=', 'devices.organization_id')
          .whereRef('issues.device_id', '=', 'devices.id')
          .where('issues.resolved_at', 'is', null)
          .where('issues.exempted', '=', false)
          .where('issues.blocks_device_at', 'is not', null)
          .orderBy('issues.blocks_device_at')
          .limit(1)
          .as('first_issue'),
      (join) => join.onTrue(),
    )
    .select([
      'devices.id',
      'devices.name',
      'people.name as owner_name',
      standingAt(now).as('standing'),
      'first_issue.title',
      'first_issue.blocks_device_at',
    ])
    .orderBy(rank)
    .orderBy(deadline)
    .orderBy('devices.id')
    .limit(limit)
    .execute()

export const listFailingChecks = (reader: Reader, organizationId: string, limit: number) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .innerJoin('check_tallies as tally', (join) =>
      join.onRef('tally.organization_id', '=', 'checks.organization_id').onRef('tally.check_id', '=', 'checks.id'),
    )
    .where(inOrganization('checks', organizationId))
    .select([
      'checks.id',
      'checks.name',
      'configuration.remediation_strategy',
      sql<number>`sum(tally.counted)::int`.as('counted'),
      sql<number>`sum(tally.counted - tally.passing)::int`.as('failing'),
    ])
    .groupBy(['checks.id', 'checks.name', 'configuration.remediation_strategy'])
    .having(sql<number>`sum(tally.counted - tally.passing)`, '>', 0)
    .orderBy('failing', 'desc')
    .orderBy('checks.id')
    .limit(limit)
    .execute()

export async function countWaitingRequests(reader: Reader, organizationId: string): Promise<number> {
  const exemptions = reader
    .selectFrom('exemption_requests')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(inOrganization('exemption_requests', organizationId))
    .where('status', '=', 'open')
  const registrations = reader
    .selectFrom('registration_requests')
    .select(sql<number>`count(*)::int`.as('count'))
    .where(inOrganization('registration_requests', organizationId))
    .where('status', '=', 'pending')
  const [open, pending] = await Promise.all([exemptions.executeTakeFirst(), registrations.executeTakeFirst()])
  return (open?.count ?? 0) + (pending?.count ?? 0)
}
