import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { isOfUpgrade } from '../holds/earlier-blocks.ts'
import { holdBlocks } from '../holds/hold-blocks.ts'
import { comesSuddenly, type HeldSchedule, wasTold } from '../holds/hold-rules.ts'
import { type BlockingPolicy, type ScheduledIssue, scheduleIssue } from './rules.ts'

export type IssuePolicy = BlockingPolicy & {
  isInBlockingGroups: (device: LockedDevice) => boolean
  /** Whether the check told owners of issues until now. */
  isTold: boolean
}

/**
 * Decides again when the open issues of locked devices block, after a change of configuration, groups, registration
 * or exemption. `policyOf` gives the policy of each check. The caller settles the auth states afterwards.
 */
export async function rescheduleIssues(
  tx: Tx,
  devices: readonly LockedDevice[],
  policies: ReadonlyMap<string, IssuePolicy>,
  context: ChangeOrigin,
): Promise<void> {
  const [first] = devices
  if (!first || policies.size === 0) return
  const { organization_id: organizationId } = first
  const byId = new Map(devices.map((device) => [device.id, device]))
  const issues = await openIssuesUnder(tx, organizationId, [...byId.keys()], [...policies.keys()])
  const moved = issues.flatMap((issue) => {
    const [device, policy] = [byId.get(issue.device_id), policies.get(issue.check_id)]
    if (!device || !policy) return []
    const decided = scheduleIssue(issue, { policy, ...factsOf(device, policy), ...issue }, context.now)
    if (isSame(issue, decided)) return []
    const isSudden = comesSuddenly(issue, decided, context.now)
    const told_before_block = isSudden ? wasTold(issue, policy.isTold) : issue.told_before_block
    return [{ issue, device, decided: { ...decided, told_before_block }, isSudden }]
  })
  if (moved.length === 0) return
  const sudden = moved.filter(({ isSudden }) => isSudden)
  const blocks = sudden.map(({ issue: { device_id: deviceId, check_id: checkId }, device }) => ({
    ...{ deviceId, checkId, context, isSudden: true, upgradedQuery: null },
    ownerId: device.registered_owner_id,
  }))
  const holds = await holdBlocks(tx, organizationId, blocks)
  const holdOf = new Map(sudden.map(({ issue }, place) => [issue.id, holds[place] ?? null]))
  await write(
    tx,
    organizationId,
    moved.map(({ issue, decided }) => {
      const { id, blocking_since, blocks_device_at } = issue
      const holdId = holdOf.get(id) ?? null
      return { id, ...decided, ...(holdId !== null && { blocking_since, blocks_device_at, hold_id: holdId }) }
    }),
  )
}

const factsOf = (device: LockedDevice, policy: IssuePolicy) => ({
  isInBlockingGroups: policy.isInBlockingGroups(device),
  registeredAt: device.registered_at,
})

const isSame = (one: HeldSchedule, other: HeldSchedule): boolean =>
  one.blocking_since === other.blocking_since &&
  one.blocks_device_at === other.blocks_device_at &&
  one.hold_id === other.hold_id

async function write(tx: Tx, organizationId: string, moved: readonly ({ id: string } & ScheduledIssue)[]) {
  await sql`
    update issues set blocking_since = moved.since, blocks_device_at = moved.at, hold_id = moved.hold,
      told_before_block = moved.told
    from unnest(
      ${moved.map(({ id }) => id)}::bigint[],
      ${moved.map((issue) => issue.blocking_since)}::timestamptz[],
      ${moved.map((issue) => issue.blocks_device_at)}::timestamptz[],
      ${moved.map((issue) => issue.hold_id)}::bigint[],
      ${moved.map((issue) => issue.told_before_block)}::boolean[]
    ) as moved (id, since, at, hold, told)
    where ${inOrganization('issues', organizationId)} and issues.id = moved.id
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
    .leftJoin('block_holds as hold', (join) =>
      join.onRef('hold.organization_id', '=', 'issues.organization_id').onRef('hold.id', '=', 'issues.hold_id'),
    )
    .select([
      'issues.id',
      'issues.device_id',
      'issues.check_id',
      'issues.exempted',
      'issues.detected_at',
      'issues.blocking_since',
      'issues.blocks_device_at',
      'issues.hold_id',
      'issues.told_before_block',
      'hold.decision as hold_decision',
      isOfUpgrade.as('hold_is_of_upgrade'),
      'result.snoozed_until',
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .where('issues.check_id', '=', sql<string>`any(${checkIds}::bigint[])`)
    .where('issues.resolved_at', 'is', null)
    .execute()
}
