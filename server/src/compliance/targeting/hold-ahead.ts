import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { listGroupsOfDevices } from '../../inventory/devices/lock-device.ts'
import { type Block, holdBlocks } from '../holds/hold-blocks.ts'
import { breaker, isSudden } from '../holds/hold-rules.ts'
import { scheduleIssue } from '../issues/rules.ts'
import { isAllowed } from '../standing/targeting-rules.ts'

const issuesPerBatch = 1_000

/**
 * Holds the blocks that a changed configuration brings before the first device is settled, where they are too many: so
 * none is signaled. Reads the open issues of the check until enough are found.
 */
export async function holdAhead(
  tx: Tx,
  { organizationId, checkId }: { organizationId: string; checkId: string },
  context: ChangeOrigin,
): Promise<void> {
  const found = new Map<string, Block>()
  let after = '0'
  while (found.size <= breaker.most) {
    const rows = await listIssues(tx, organizationId, checkId, after)
    const groups = await listGroupsOfDevices(
      tx,
      organizationId,
      rows.map(({ device_id: id }) => ({ id })),
    )
    for (const row of rows) {
      const { blocks_device_at: before, device_id: deviceId, blocking_allowed_groups, blocking_excluded_groups } = row
      const device = { ...row, id: deviceId, group_ids: groups.get(deviceId) ?? [] }
      const facts = {
        policy: row,
        isInBlockingGroups: isAllowed(blocking_allowed_groups, blocking_excluded_groups, device),
        registeredAt: row.registered_at,
        snoozed_until: row.snoozed_until,
      }
      const { blocks_device_at } = scheduleIssue(row, facts, context.now)
      const isNew = row.hold_id === null && isSudden(before, blocks_device_at, context.now)
      if (isNew) found.set(deviceId, { deviceId, checkId, before, after: blocks_device_at, context })
    }
    if (rows.length < issuesPerBatch) break
    after = rows.at(-1)?.id ?? after
  }
  if (found.size > breaker.fewest) await holdBlocks(tx, organizationId, [...found.values()].slice(0, breaker.most + 1))
}

const listIssues = (tx: Tx, organizationId: string, checkId: string, after: string) =>
  tx
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'issues.organization_id')
        .onRef('configuration.check_id', '=', 'issues.check_id'),
    )
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
      ...(['issues.id', 'issues.device_id', 'issues.exempted', 'issues.detected_at', 'issues.hold_id'] as const),
      ...(['issues.blocking_since', 'issues.blocks_device_at', 'hold.decision as hold_decision'] as const),
      ...(['devices.device_type', 'devices.registered_at', 'result.snoozed_until'] as const),
      ...(['configuration.remediation_strategy', 'configuration.block_auth_grace_period_days'] as const),
      ...(['configuration.begins_blocking_on', 'configuration.paused_at'] as const),
      ...(['configuration.blocking_allowed_groups', 'configuration.blocking_excluded_groups'] as const),
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.check_id', '=', checkId)
    .where('issues.resolved_at', 'is', null)
    .where('issues.id', '>', after)
    .where('devices.registered_owner_id', 'is not', null)
    .where('devices.deleted_at', 'is', null)
    .orderBy('issues.id')
    .limit(issuesPerBatch)
    .execute()
