import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { type BlockingPolicy, decideBlocking } from './rules.ts'

export type IssuePolicy = BlockingPolicy & {
  isInBlockingGroups: (device: LockedDevice) => boolean
}

/**
 * Decides again when the open issues of locked devices block, after a change of configuration, groups, registration
 * or exemption. `policyOf` gives the policy of each check. The caller settles the auth states afterwards.
 */
export async function rescheduleIssues(
  tx: Tx,
  devices: readonly LockedDevice[],
  policies: ReadonlyMap<string, IssuePolicy>,
  now: string,
): Promise<void> {
  const [first] = devices
  if (!first || policies.size === 0) return
  const byId = new Map(devices.map((device) => [device.id, device]))
  const issues = await openIssuesUnder(tx, first.organization_id, [...byId.keys()], [...policies.keys()])
  const moved = issues.flatMap((issue) => {
    const [device, policy] = [byId.get(issue.device_id), policies.get(issue.check_id)]
    if (!device || !policy) return []
    const decision = decideBlocking(
      {
        policy,
        isInBlockingGroups: policy.isInBlockingGroups(device),
        isExempted: issue.exempted,
        detectedAt: issue.detected_at,
        blockingSince: issue.blocking_since,
        registeredAt: device.registered_at,
        snoozedUntil: issue.snoozed_until,
      },
      now,
    )
    const stands =
      decision.blocking_since === issue.blocking_since && decision.blocks_device_at === issue.blocks_device_at
    return stands ? [] : [{ id: issue.id, ...decision }]
  })
  if (moved.length === 0) return
  await sql`
    update issues set blocking_since = moved.since, blocks_device_at = moved.at
    from unnest(
      ${moved.map(({ id }) => id)}::bigint[],
      ${moved.map((issue) => issue.blocking_since)}::timestamptz[],
      ${moved.map((issue) => issue.blocks_device_at)}::timestamptz[]
    ) as moved (id, since, at)
    where ${inOrganization('issues', first.organization_id)} and issues.id = moved.id
  `.execute(tx)
}

async function openIssuesUnder(
  tx: Tx,
  organizationId: string,
  deviceIds: readonly string[],
  checkIds: readonly string[],
) {
  return tx
    .selectFrom('issues')
    .leftJoin('check_results as result', (join) =>
      join
        .onRef('result.organization_id', '=', 'issues.organization_id')
        .onRef('result.device_id', '=', 'issues.device_id')
        .onRef('result.check_id', '=', 'issues.check_id'),
    )
    .select([
      'issues.id',
      'issues.device_id',
      'issues.check_id',
      'issues.exempted',
      'issues.detected_at',
      'issues.blocking_since',
      'issues.blocks_device_at',
      'result.snoozed_until',
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .where('issues.check_id', '=', sql<string>`any(${checkIds}::bigint[])`)
    .where('issues.resolved_at', 'is', null)
    .execute()
}
