import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Database } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { queueAgentNotices } from '../../inventory/devices/queue-agent-notice.ts'
import { resolveIssues } from '../issues/settle-issues.ts'
import { adjustTallies } from '../standing/adjust-tallies.ts'
import { holdConfigurations } from '../standing/hold-configurations.ts'
import { isTargeted, type Targeting } from '../standing/targeting-rules.ts'

export type TargetedCheck = Targeting & { check_id: string }

/** Checks of the organization with what decides whom they target, held until the transaction ends. */
export async function targetedChecks(tx: Tx, organizationId: string): Promise<TargetedCheck[]> {
  await holdConfigurations(tx, organizationId)
  return tx
    .selectFrom('checks')
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'checks.organization_id')
        .onRef('configuration.check_id', '=', 'checks.id'),
    )
    .select(['checks.id as check_id', 'type', 'platforms', 'targeted_groups', 'excluded_groups'])
    .where(inOrganization('checks', organizationId))
    .where('checks.deletion_requested_at', 'is', null)
    .orderBy('checks.id')
    .execute()
}

type Pair = { deviceId: string; checkId: string }
const keyOf = ({ deviceId, checkId }: Pair) => `${deviceId}/${checkId}`

/**
 * Brings the results of locked devices in line with whom the checks target: a new target starts as `pending`; what
 * left the target set loses its result, and its open issues are resolved. The caller settles the auth states.
 */
export async function retarget(
  tx: Tx,
  devices: readonly LockedDevice[],
  checks: readonly TargetedCheck[],
  context: ChangeOrigin,
): Promise<void> {
  const [first] = devices
  if (!first || checks.length === 0) return
  const existing = await existingPairs(tx, first.organization_id, devices, checks)
  const wanted = devices.flatMap((device) =>
    checks
      .filter((check) => isTargeted(check, device))
      .map((check) => ({ deviceId: device.id, checkId: check.check_id })),
  )
  const wantedKeys = new Set(wanted.map(keyOf))
  const added = wanted.filter((pair) => !existing.has(keyOf(pair)))
  const removed = [...existing.values()].filter((pair) => !wantedKeys.has(keyOf(pair)))
  await addTargets(tx, first.organization_id, added)
  await removeTargets(tx, first.organization_id, removed, context)
  // What is new to a device is due at its next check-in, no matter which process answers it.
  await queueAgentNotices(tx, first.organization_id, [...new Set(added.map(({ deviceId }) => deviceId))], context.now)
  await adjustTallies(tx, first.organization_id, [
    ...added.map((pair) => ({ ...pair, from: null, to: 'pending' })),
    ...removed.map(({ status, ...pair }) => ({ ...pair, from: status, to: null })),
  ])
}

async function existingPairs(
  tx: Tx,
  organizationId: string,
  devices: readonly LockedDevice[],
  checks: readonly TargetedCheck[],
) {
  // Device by device: without statistics an organization is taken to have few results, and all of them would be read.
  const { rows } = await sql<Pair & { status: Database['check_results']['status'] }>`
    select result.device_id as "deviceId", result.check_id as "checkId", result.status
    from unnest(${devices.map(({ id }) => id)}::bigint[]) as asked (device_id)
    cross join lateral (
      select device_id, check_id, status from check_results
      where ${inOrganization('check_results', organizationId)} and check_results.device_id = asked.device_id
        and check_id = any(${checks.map((check) => check.check_id)}::bigint[])
      offset 0
    ) as result
  `.execute(tx)
  return new Map(rows.map((row) => [keyOf(row), row]))
}

async function addTargets(tx: Tx, organizationId: string, added: readonly Pair[]): Promise<void> {
  if (added.length === 0) return
  await sql`
    insert into check_results (organization_id, device_id, check_id, status)
    select ${organizationId}::bigint, device_id, check_id, 'pending'
    from unnest(
      ${added.map(({ deviceId }) => deviceId)}::bigint[], ${added.map(({ checkId }) => checkId)}::bigint[]
    ) as pair (device_id, check_id)
  `.execute(tx)
}

async function removeTargets(tx: Tx, organizationId: string, removed: readonly Pair[], context: ChangeOrigin) {
  if (removed.length === 0) return
  const pairs = sql`unnest(
    ${removed.map(({ deviceId }) => deviceId)}::bigint[], ${removed.map(({ checkId }) => checkId)}::bigint[]
  ) as pair (device_id, check_id)`
  await sql`
    delete from check_results using ${pairs}
    where ${inOrganization('check_results', organizationId)}
      and check_results.device_id = pair.device_id and check_results.check_id = pair.check_id
  `.execute(tx)
  await sql`
    delete from check_refreshes using ${pairs}
    where ${inOrganization('check_refreshes', organizationId)}
      and check_refreshes.device_id = pair.device_id and check_refreshes.check_id = pair.check_id
  `.execute(tx)
  const { rows: orphaned } = await sql<{ id: string; device_id: string; check_id: string; title: string }>`
    select issues.id, issues.device_id, issues.check_id, issues.title from issues join ${pairs}
      on issues.device_id = pair.device_id and issues.check_id = pair.check_id
    where ${inOrganization('issues', organizationId)} and issues.resolved_at is null
  `.execute(tx)
  await resolveIssues(tx, organizationId, orphaned, context)
}
