import type { DeviceViewFilter } from '@muster/contract/console-views.ts'
import { type Expression, sql } from 'kysely'
import { standsWithCompanion } from '../../agents/companion-keys/companion-of-device.ts'
import { searchPattern } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs } from '../../base/time.ts'
import { standingAt } from '../../inventory/devices/standing.ts'

/** The most urgent first: blocked, then what blocks soonest, then the rest. An index has the same expression. */
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
  if (filter.standing !== undefined) {
    const wanted = filter.standing.split(',')
    query = query.where(standing, 'in', wanted as never)
    // Implied, and what the planner knows the frequencies of.
    if (!wanted.some((one) => one === 'stale' || one === 'never')) {
      query = query.where('devices.auth_state', 'in', wanted as never)
    }
  }
  if (filter.within !== undefined) {
    query = query
      .where('devices.will_block_at', '<=', new Date(Date.parse(now) + dayMs).toISOString())
      .where(standing, '=', 'will_block')
  }
  return query.where((build) => build.and(conditionsOf(organizationId, filter)))
}

/** What a device has to be now, however it stands. */
export function conditionsOf(organizationId: string, filter: DeviceViewFilter): Expression<boolean>[] {
  const conditions: Expression<boolean>[] = []
  if (filter.platform !== undefined) {
    conditions.push(sql<boolean>`devices.device_type in (${sql.join(filter.platform.split(','))})`)
  }
  if (filter.owner === 'none') conditions.push(sql<boolean>`devices.registered_owner_id is null`)
  if (filter.owner === 'registered') conditions.push(sql<boolean>`devices.registered_owner_id is not null`)
  if (filter.owner_id !== undefined) {
    conditions.push(sql<boolean>`devices.registered_owner_id = ${filter.owner_id}::bigint`)
  }
  if (filter.mode !== undefined) {
    conditions.push(sql<boolean>`devices.registered_owner_id is not null
      and devices.authentication_mode = ${filter.mode}`)
  }
  if (filter.group_id !== undefined) {
    conditions.push(sql<boolean>`exists (select from device_group_members as member
      where member.organization_id = devices.organization_id and member.device_group_id = ${filter.group_id}::bigint
        and member.device_id = devices.id)`)
  }
  if (filter.identity === 'suspended') conditions.push(sql<boolean>`devices.registration_suspended_at is not null`)
  if (filter.identity === 'conflict') conditions.push(sql<boolean>`devices.identity_conflict_since is not null`)
  if (filter.companion !== undefined) conditions.push(standsWithCompanion(organizationId, filter.companion))
  const pattern = searchPattern(filter.search)
  if (pattern === undefined) return conditions
  // Each half has an index of its own; one condition over both tables would read all devices.
  conditions.push(sql<boolean>`devices.id in (
    select named.id from devices as named where named.organization_id = ${organizationId}::bigint
      and (folded(named.name) like ${pattern} or folded(named.serial) like ${pattern} or folded(named.note) like ${pattern})
    union
    select owned.id from people as owner join devices as owned on owned.organization_id = owner.organization_id
      and owned.registered_owner_id = owner.id
    where owner.organization_id = ${organizationId}::bigint and (folded(owner.name) like ${pattern} or folded(owner.email) like ${pattern}))`)
  return conditions
}
