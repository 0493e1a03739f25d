import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { standingAt } from '../../inventory/devices/standing.ts'
import { devicesOf, urgency } from './device-filter.ts'

/** An index has the same expression. */
const deadline = sql<string>`coalesce(issues.blocks_device_at, 'infinity')`

/**
 * Devices that were blocked last, latest first, then those that will be soonest, each with the issue that does it. Of
 * each half are as many as fit, half of the limit at least, where there are so many: many blocked devices hide none
 * that can still be helped.
 */
export async function listNextToBlock(reader: Reader, organizationId: string, now: string, limit: number) {
  const [blocked, soon] = await Promise.all([
    listBlocked(reader, organizationId, now, limit),
    listSoonest(reader, organizationId, now, limit),
  ])
  const half = Math.ceil(limit / 2)
  const maxBlocked = Math.max(half, limit - soon.length)
  const first = blocked.slice(0, maxBlocked)
  return [...first, ...soon.slice(0, limit - first.length)]
}

export type NextToBlockRow = Awaited<ReturnType<typeof listNextToBlock>>[number]

async function listBlocked(reader: Reader, organizationId: string, now: string, limit: number) {
  const latest = await listLatestBlocked(reader, organizationId, now, limit)
  if (latest.length === limit) return latest
  // A device whose registration is suspended stays blocked when no issue blocks it anymore.
  const all = await withFirstIssue(reader, organizationId, now)
    .where(standingAt(now), '=', 'blocked')
    .where('devices.auth_state', '=', 'blocked')
    .orderBy(urgency)
    .orderBy('devices.id')
    .limit(limit)
    .execute()
  const known = new Set(latest.map(({ id }) => id))
  return [...latest, ...all.filter(({ id }) => !known.has(id))].slice(0, limit)
}

/** Read from the issues, whose index has their order by time; of each device the issue that was the first to block it. */
const listLatestBlocked = (reader: Reader, organizationId: string, now: string, limit: number) =>
  devicesOf(reader, organizationId, {}, now)
    .innerJoin('issues', (join) =>
      join.onRef('issues.organization_id', '=', 'devices.organization_id').onRef('issues.device_id', '=', 'devices.id'),
    )
    .where(inOrganization('issues', organizationId))
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    .where(deadline, '<=', sql<string>`${now}::timestamptz`)
    .where(sql<boolean>`not exists (
      select from issues as earlier where earlier.organization_id = issues.organization_id
        and earlier.device_id = issues.device_id and earlier.resolved_at is null and not earlier.exempted
        and (earlier.blocks_device_at, earlier.id) < (issues.blocks_device_at, issues.id))`)
    .where('devices.auth_state', '=', 'blocked')
    .where(standingAt(now), '=', 'blocked')
    .select([
      'devices.id',
      'devices.name',
      'people.name as owner_name',
      standingAt(now).as('standing'),
      'issues.id as issue_id',
      'issues.title',
      'issues.blocks_device_at',
    ])
    .orderBy(deadline, 'desc')
    .orderBy('issues.id', 'desc')
    .limit(limit)
    .execute()

const listSoonest = (reader: Reader, organizationId: string, now: string, limit: number) =>
  withFirstIssue(reader, organizationId, now)
    .where('devices.auth_state', '=', 'will_block')
    .where(standingAt(now), '=', 'will_block')
    .orderBy('devices.will_block_at')
    .orderBy('devices.id')
    .limit(limit)
    .execute()

const withFirstIssue = (reader: Reader, organizationId: string, now: string) =>
  devicesOf(reader, organizationId, {}, now)
    .leftJoinLateral(
      (build) =>
        build
          .selectFrom('issues')
          .select(['issues.id as issue_id', 'issues.title', 'issues.blocks_device_at'])
          .whereRef('issues.organization_id', '=', 'devices.organization_id')
          .whereRef('issues.device_id', '=', 'devices.id')
          .where('issues.resolved_at', 'is', null)
          .where('issues.exempted', '=', false)
          .where('issues.blocks_device_at', 'is not', null)
          .orderBy('issues.blocks_device_at')
          .orderBy('issues.id')
          .limit(1)
          .as('first_issue'),
      (join) => join.onTrue(),
    )
    .select([
      'devices.id',
      'devices.name',
      'people.name as owner_name',
      standingAt(now).as('standing'),
      'first_issue.issue_id',
      'first_issue.title',
      'first_issue.blocks_device_at',
    ])
