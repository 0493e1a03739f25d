import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { dayMs } from '../../base/time.ts'
import { tallyColumns } from '../../compliance/standing/tally-columns.ts'
import { standingAt } from '../../inventory/devices/standing.ts'
import { devicesOf } from './device-filter.ts'

const before = (now: string, milliseconds: number): string => new Date(Date.parse(now) - milliseconds).toISOString()

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

/** By how many devices fail them; those whose result is not known are no part of it. */
export const listFailingChecks = (reader: Reader, organizationId: string, limit: number) =>
  reader
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .innerJoin('check_tallies', (join) =>
      join
        .onRef('check_tallies.organization_id', '=', 'checks.organization_id')
        .onRef('check_tallies.check_id', '=', 'checks.id'),
    )
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)
    .select(['checks.id', 'checks.name', 'configuration.remediation_strategy', 'configuration.paused_at'])
    .select(tallyColumns)
    .groupBy(['checks.id', 'checks.name', 'configuration.remediation_strategy', 'configuration.paused_at'])
    .having(sql<number>`sum(check_tallies.failing)`, '>', 0)
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

/** While all enabled checks only report: how many they are, and on how many devices they have found something. Else null. */
export async function describeOnlyReporting(reader: Reader, organizationId: string) {
  const { checks, enforced } = await reader
    .selectFrom('check_configurations')
    .select([
      sql<number>`count(*)::int`.as('checks'),
      sql<number>`count(*) filter (where remediation_strategy <> 'report_only')::int`.as('enforced'),
    ])
    .where(inOrganization('check_configurations', organizationId))
    .where('paused_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (checks === 0 || enforced > 0) return null
  const { devices } = await reader
    .selectFrom('devices')
    .select(sql<number>`count(*)::int`.as('devices'))
    .where(inOrganization('devices', organizationId))
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`exists (select from issues where issues.organization_id = devices.organization_id
        and issues.device_id = devices.id and issues.resolved_at is null)`,
    )
    .executeTakeFirstOrThrow()
  return { checks, devices_with_issues: devices }
}
