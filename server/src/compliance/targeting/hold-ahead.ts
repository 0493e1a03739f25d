import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { listGroupsOfDevices } from '../../inventory/devices/lock-device.ts'
import { isBlocking } from '../../inventory/devices/rules.ts'
import { type CheckOfOrganization, readBreaker } from '../holds/breaker.ts'
import { isOfUpgrade } from '../holds/earlier-blocks.ts'
import { holdAheadOf } from '../holds/hold-blocks.ts'
import { breaker, comesSuddenly } from '../holds/hold-rules.ts'
import { type BlockingPolicy, scheduleIssue } from '../issues/rules.ts'
import { isAllowed, isTargeted, type Targeting } from '../standing/targeting-rules.ts'
import { findTargetingConfiguration } from './find-targeting-configuration.ts'

/** What a configuration says of which devices a check blocks. */
export type BlockingConfiguration = BlockingPolicy &
  Targeting & { blocking_allowed_groups: readonly string[]; blocking_excluded_groups: readonly string[] }

/**
 * Begins a hold where the configuration of a check, as it is now, would block the devices of too many people without notice:
 * in the transaction that changes it, so that none is blocked or signaled before. Take the configurations first.
 */
export async function holdAhead(tx: Tx, check: CheckOfOrganization, context: ChangeOrigin): Promise<void> {
  const { way } = await readBreaker(tx, check, context.now)
  if (way !== 'counts') return
  const configuration = await findTargetingConfiguration(tx, check)
  const owners = await listSuddenOwners(tx, check, configuration, context.now)
  if (owners.size > 0) await holdAheadOf(tx, check, owners, context)
}

const issuesPerBatch = 1_000

/**
 * Whose devices a configuration blocks without notice, once it is saved: the people whom both its preview and its saving
 * count. No more than can matter: one more than the highest limit.
 */
export async function listSuddenOwners(
  reader: Reader,
  check: CheckOfOrganization,
  configuration: BlockingConfiguration,
  now: string,
): Promise<Set<string>> {
  const owners = new Set<string>()
  if (!isBlocking(configuration) || configuration.paused_at !== null) return owners
  let after = '0'
  for (;;) {
    const rows = await listIssues(reader, check, { after, now })
    const groups = await listGroupsOfDevices(
      reader,
      check.organizationId,
      rows.map(({ device_id: id }) => ({ id })),
    )
    for (const row of rows) {
      const device = { ...row, group_ids: groups.get(row.device_id) ?? [] }
      if (row.registered_owner_id !== null && isHit(device, configuration, now)) owners.add(row.registered_owner_id)
      if (owners.size > breaker.most) return owners
    }
    if (rows.length < issuesPerBatch) return owners
    after = rows.at(-1)?.id ?? after
  }
}

type IssueOfDevice = Awaited<ReturnType<typeof listIssues>>[number] & { group_ids: readonly string[] }

function isHit(issue: IssueOfDevice, configuration: BlockingConfiguration, now: string): boolean {
  if (!isTargeted(configuration, issue)) return false
  const { blocking_allowed_groups: allowed, blocking_excluded_groups: excluded } = configuration
  const facts = {
    policy: configuration,
    isInBlockingGroups: isAllowed(allowed, excluded, issue),
    registeredAt: issue.registered_at,
    snoozed_until: issue.snoozed_until,
  }
  return comesSuddenly(issue, scheduleIssue(issue, facts, now), now)
}

/** The open issues of a check that may come to block: not those that do so already, or wait under a hold. */
const listIssues = (
  reader: Reader,
  { organizationId, checkId }: CheckOfOrganization,
  { after, now }: { after: string; now: string },
) =>
  reader
    .selectFrom('issues')
    .innerJoin('devices', (join) =>
      join.onRef('devices.organization_id', '=', 'issues.organization_id').onRef('devices.id', '=', 'issues.device_id'),
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
      ...(['devices.device_type', 'devices.registered_owner_id', 'devices.registered_at'] as const),
      'result.snoozed_until',
      isOfUpgrade.as('hold_is_of_upgrade'),
    ])
    .where(inOrganization('issues', organizationId))
    .where('issues.check_id', '=', checkId)
    .where('issues.resolved_at', 'is', null)
    .where('issues.exempted', '=', false)
    .where('issues.id', '>', after)
    .where((build) =>
      build.or([
        build('issues.blocks_device_at', 'is', null),
        build('issues.blocks_device_at', '>', sql<string>`${plusMs(now, breaker.noticeMs)}::timestamptz`),
      ]),
    )
    .where((build) => build.or([build('issues.hold_id', 'is', null), build('hold.decision', '=', 'ended')]))
    .where('devices.registered_owner_id', 'is not', null)
    .where('devices.deleted_at', 'is', null)
    .orderBy('issues.id')
    .limit(issuesPerBatch)
    .execute()
