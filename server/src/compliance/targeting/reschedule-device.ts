import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { isTelling } from '../../inventory/devices/rules.ts'
import { type IssuePolicy, rescheduleIssues } from '../issues/reschedule-issues.ts'
import { isAllowed } from '../standing/targeting-rules.ts'

/** Decides again when the open issues of locked devices block, under the current policies. */
export async function rescheduleDevices(
  tx: Tx,
  devices: readonly LockedDevice[],
  context: ChangeOrigin,
): Promise<void> {
  const [first] = devices
  if (!first) return
  const policies = await policiesOver(tx, first.organization_id, devices)
  await rescheduleIssues(tx, devices, policies, context)
}

async function policiesOver(tx: Tx, organizationId: string, devices: readonly LockedDevice[]) {
  const rows = await tx
    .selectFrom('check_configurations')
    .select([
      'check_id',
      'remediation_strategy',
      'block_auth_grace_period_days',
      'begins_blocking_on',
      'paused_at',
      'blocking_allowed_groups',
      'blocking_excluded_groups',
    ])
    .where(inOrganization('check_configurations', organizationId))
    .where(
      'check_id',
      'in',
      tx
        .selectFrom('issues')
        .select('check_id')
        .where(inOrganization('issues', organizationId))
        .where('device_id', '=', sql<string>`any(${devices.map(({ id }) => id)}::bigint[])`)
        .where('resolved_at', 'is', null),
    )
    .execute()
  return new Map(rows.map((row) => [row.check_id, policyOf(row)]))
}

type PolicyRow = Omit<IssuePolicy, 'isInBlockingGroups' | 'isTold'> & {
  blocking_allowed_groups: string[]
  blocking_excluded_groups: string[]
}

/** `isTold`: whether the check told owners of issues before a change; left out where that is not what changes. */
export const policyOf = (row: PolicyRow, isTold: boolean = isTelling(row)): IssuePolicy => ({
  ...row,
  isTold,
  isInBlockingGroups: (device) => isAllowed(row.blocking_allowed_groups, row.blocking_excluded_groups, device),
})
