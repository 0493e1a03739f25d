import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import type { LockedDevice } from '../devices/lock-device.ts'
import type { Happening } from '../devices/settle-auth-state.ts'
import { announce } from '../events/announce.ts'
import { type BlockingPolicy, decideBlocking } from './rules.ts'

/** What a run of one check on one device says of its issues. */
export type IssueVerdict = {
  checkId: string
  issueTitle: string
  primaryKeyColumn: string | null
  policy: BlockingPolicy
  isInBlockingGroups: boolean
  snoozedUntil: string | null
  ranAt: string
  /** An exempted check resolves issues and opens none. */
  isExempted: boolean
  failures: ReadonlyMap<string | null, Record<string, string>>
  resolves: (value: string | null) => boolean
}

type OpenIssue = {
  id: string
  device_id: string
  check_id: string
  issue_value: string | null
  title: string
  value: Record<string, string>
}

/** What was run on one locked device. */
export type DeviceVerdicts = { device: LockedDevice; happening: Happening; verdicts: readonly IssueVerdict[] }

/**
 * Opens, confirms and resolves the issues of locked devices in line with the verdicts. A failure that comes back
 * after it was resolved is a new issue. Returns those of whose devices issues came or went: the caller settles their
 * auth states afterwards.
 */
export async function settleIssues(
  tx: Tx,
  organizationId: string,
  entries: readonly DeviceVerdicts[],
): Promise<DeviceVerdicts[]> {
  const open = Map.groupBy(await openIssues(tx, organizationId, entries), ({ device_id }) => device_id)
  const moved: DeviceVerdicts[] = []
  for (const entry of entries) {
    const { device, happening } = entry
    const { resolved, confirmed, opened } = compare(entry.verdicts, open.get(device.id) ?? [])
    await resolveIssues(tx, organizationId, resolved, happening)
    await confirmIssues(tx, device, confirmed)
    await openNew(tx, device, opened, happening)
    if (resolved.length > 0 || opened.length > 0) moved.push(entry)
  }
  return moved
}

type Failure = { verdict: IssueVerdict; value: string | null; row: Record<string, string> }

function compare(verdicts: readonly IssueVerdict[], open: readonly OpenIssue[]) {
  const byCheck = Map.groupBy(open, ({ check_id }) => check_id)
  const resolved: OpenIssue[] = []
  const opened: Failure[] = []
  const confirmed: { issue: OpenIssue; row: Record<string, string>; ranAt: string }[] = []
  for (const verdict of verdicts) {
    const existing = byCheck.get(verdict.checkId) ?? []
    for (const issue of existing) {
      const row = verdict.failures.get(issue.issue_value)
      if (row) confirmed.push({ issue, row, ranAt: verdict.ranAt })
      else if (verdict.resolves(issue.issue_value)) resolved.push(issue)
    }
    if (verdict.isExempted) continue
    const known = new Set(existing.map((issue) => issue.issue_value))
    for (const [value, row] of verdict.failures) if (!known.has(value)) opened.push({ verdict, value, row })
  }
  return { resolved, confirmed, opened }
}

async function openIssues(tx: Tx, organizationId: string, entries: readonly DeviceVerdicts[]): Promise<OpenIssue[]> {
  if (entries.length === 0) return []
  const checkIds = new Set(entries.flatMap(({ verdicts }) => verdicts.map(({ checkId }) => checkId)))
  return tx
    .selectFrom('issues')
    .select(['id', 'device_id', 'check_id', 'issue_value', 'title', 'value'])
    .where(inOrganization('issues', organizationId))
    .where('device_id', '=', sql<string>`any(${entries.map(({ device }) => device.id)}::bigint[])`)
    .where('check_id', '=', sql<string>`any(${[...checkIds]}::bigint[])`)
    .where('resolved_at', 'is', null)
    .execute()
}

/** Resolves open issues of locked devices and announces it. */
export async function resolveIssues(
  tx: Tx,
  organizationId: string,
  issues: readonly Pick<OpenIssue, 'id' | 'device_id' | 'check_id' | 'title'>[],
  { cause, now }: Happening,
): Promise<void> {
  if (issues.length === 0) return
  await tx
    .updateTable('issues')
    .set({ resolved_at: now, last_rechecked_at: now })
    .where(inOrganization('issues', organizationId))
    .where('id', '=', sql<string>`any(${issues.map(({ id }) => id)}::bigint[])`)
    .execute()
  await announce(
    tx,
    issues.map((issue) => ({
      type: 'issues.resolved',
      organizationId,
      deviceId: issue.device_id,
      issueId: issue.id,
      checkId: issue.check_id,
      title: issue.title,
      cause,
      at: now,
    })),
  )
}

const sameRow = (one: Record<string, string>, other: Record<string, string>): boolean => {
  const columns = Object.keys(one)
  return columns.length === Object.keys(other).length && columns.every((column) => one[column] === other[column])
}

async function confirmIssues(
  tx: Tx,
  device: LockedDevice,
  confirmed: readonly { issue: OpenIssue; row: Record<string, string>; ranAt: string }[],
): Promise<void> {
  const moved = confirmed.filter(({ issue, row }) => !sameRow(issue.value, row))
  if (moved.length === 0) return
  await sql`
    update issues set value = moved.value, last_rechecked_at = greatest(last_rechecked_at, moved.ran_at)
    from unnest(
      ${moved.map(({ issue }) => issue.id)}::bigint[],
      ${moved.map(({ row }) => JSON.stringify(row))}::jsonb[],
      ${moved.map(({ ranAt }) => ranAt)}::timestamptz[]
    ) as moved (id, value, ran_at)
    where ${inOrganization('issues', device.organization_id)} and issues.id = moved.id
  `.execute(tx)
}

async function openNew(
  tx: Tx,
  device: LockedDevice,
  opened: readonly Failure[],
  { cause, now }: Happening,
): Promise<void> {
  if (opened.length === 0) return
  const rows = opened.map(({ verdict, value, row }) => ({
    organization_id: device.organization_id,
    device_id: device.id,
    check_id: verdict.checkId,
    issue_key: verdict.primaryKeyColumn,
    issue_value: value,
    title: verdict.issueTitle,
    value: JSON.stringify(row),
    detected_at: now,
    last_rechecked_at: verdict.ranAt,
    ...decideBlocking(
      {
        policy: verdict.policy,
        isInBlockingGroups: verdict.isInBlockingGroups,
        isExempted: false,
        detectedAt: now,
        blockingSince: null,
        registeredAt: device.registered_at,
        snoozedUntil: verdict.snoozedUntil,
      },
      now,
    ),
  }))
  const inserted = await tx.insertInto('issues').values(rows).returning(['id', 'check_id', 'title']).execute()
  await announce(
    tx,
    inserted.map((issue) => ({
      type: 'issues.new',
      organizationId: device.organization_id,
      deviceId: device.id,
      issueId: issue.id,
      checkId: issue.check_id,
      title: issue.title,
      cause,
      at: now,
    })),
  )
}
