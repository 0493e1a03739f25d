import type { DeviceViewFilter } from '@muster/contract/console-views.ts'
import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Reader } from '../db/transact.ts'
import { standingAt } from '../devices/standing.ts'
import { patternOf } from './rules.ts'

const dayMs = 24 * 60 * 60_000

/** What is to be done first: blocked, then what blocks soonest, then the rest. An index has the same expression. */
export const urgency = sql<string>`case devices.auth_state when 'blocked' then '-infinity'::timestamptz
  when 'will_block' then coalesce(devices.will_block_at, '9999-01-01 00:00:00+00')
  when 'notified' then '9999-12-31 00:00:00+00' else 'infinity' end`

export function devicesOf(reader: Reader, organizationId: string, filter: DeviceViewFilter, now: string) {
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
    query = query
      .where('devices.will_block_at', '<=', new Date(Date.parse(now) + dayMs).toISOString())
      .where(standing, '=', 'will_block')
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
