import { sql } from 'kysely'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { type Announcement, announce } from '../../signals/events/announce.ts'
import { holdBlocks, type NewBlock } from '../holds/hold-blocks.ts'
import { type HeldSchedule, isSudden } from '../holds/hold-rules.ts'
import { type BlockingDecision, type BlockingPolicy, decideBlocking } from './rules.ts'

/** What a run of one check on one device says of its issues. */
export type IssueVerdict = {
  checkId: string
  issueTitle: string
  primaryKeyColumn: string | null
  policy: BlockingPolicy
  isInBlockingGroups: boolean
  snoozedUntil: string | null
  ranAt: string
  /** Of the query that an upgrade brought, where this is the first answer of the device to it; null otherwise. */
  upgradedQuery: string | null
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
export type DeviceVerdicts = { device: LockedDevice; context: ChangeOrigin; verdicts: readonly IssueVerdict[] }

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
  const { ended, confirmed, opened, moved } = compare(entries, await openIssues(tx, organizationId, entries))
  await endIssues(tx, organizationId, ended)
  await confirmIssues(tx, organizationId, confirmed)
  const begun = await openNew(tx, organizationId, opened)
  await announce(tx, [
    ...ended.map(newsOf('issues.resolved', organizationId)),
    ...begun.map(newsOf('issues.new', organizationId)),
  ])
  return moved
}

type Failure = { entry: DeviceVerdicts; verdict: IssueVerdict; value: string | null; row: Record<string, string> }
type Told = Pick<OpenIssue, 'id' | 'device_id' | 'check_id' | 'title'>
type Ended = { issue: Told; context: ChangeOrigin }
type Confirmed = { issue: OpenIssue; row: Record<string, string>; ranAt: string }

function compare(entries: readonly DeviceVerdicts[], open: readonly OpenIssue[]) {
  const byPair = Map.groupBy(open, ({ device_id, check_id }) => `${device_id}/${check_id}`)
  const ended: Ended[] = []
  const opened: Failure[] = []
  const confirmed: Confirmed[] = []
  const comesOrGoes = (entry: DeviceVerdicts): boolean => {
    const before = ended.length + opened.length
    for (const verdict of entry.verdicts) compareOne(entry, verdict)
    return ended.length + opened.length > before
  }
  const compareOne = (entry: DeviceVerdicts, verdict: IssueVerdict): void => {
    const existing = byPair.get(`${entry.device.id}/${verdict.checkId}`) ?? []
    for (const issue of existing) {
      const row = verdict.failures.get(issue.issue_value)
      if (row) confirmed.push({ issue, row, ranAt: verdict.ranAt })
      else if (verdict.resolves(issue.issue_value)) ended.push({ issue, context: entry.context })
    }
    if (verdict.isExempted) return
    const known = new Set(existing.map((issue) => issue.issue_value))
    for (const [value, row] of verdict.failures) if (!known.has(value)) opened.push({ entry, verdict, value, row })
  }
  const moved = entries.filter(comesOrGoes)
  return { ended, opened, confirmed, moved }
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
  issues: readonly Told[],
  context: ChangeOrigin,
): Promise<void> {
  const ended = issues.map((issue) => ({ issue, context }))
  await endIssues(tx, organizationId, ended)
  await announce(tx, ended.map(newsOf('issues.resolved', organizationId)))
}

async function endIssues(tx: Tx, organizationId: string, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return
  await sql`
    update issues set resolved_at = ended.at, last_rechecked_at = ended.at
    from unnest(
      ${ended.map(({ issue }) => issue.id)}::bigint[], ${ended.map(({ context }) => context.now)}::timestamptz[]
    ) as ended (id, at)
    where ${inOrganization('issues', organizationId)} and issues.id = ended.id
  `.execute(tx)
}

const newsOf =
  (type: 'issues.new' | 'issues.resolved', organizationId: string) =>
  ({ issue, context: { cause, now } }: Ended): Announcement => ({
    type,
    organizationId,
    deviceId: issue.device_id,
    issueId: issue.id,
    checkId: issue.check_id,
    title: issue.title,
    cause,
    at: now,
  })

const sameRow = (one: Record<string, string>, other: Record<string, string>): boolean => {
  const columns = Object.keys(one)
  return columns.length === Object.keys(other).length && columns.every((column) => one[column] === other[column])
}

async function confirmIssues(tx: Tx, organizationId: string, confirmed: readonly Confirmed[]): Promise<void> {
  const moved = confirmed.filter(({ issue, row }) => !sameRow(issue.value, row))
  if (moved.length === 0) return
  await sql`
    update issues set value = moved.value, last_rechecked_at = greatest(last_rechecked_at, moved.ran_at)
    from unnest(
      ${moved.map(({ issue }) => issue.id)}::bigint[],
      ${moved.map(({ row }) => JSON.stringify(row))}::jsonb[],
      ${moved.map(({ ranAt }) => ranAt)}::timestamptz[]
    ) as moved (id, value, ran_at)
    where ${inOrganization('issues', organizationId)} and issues.id = moved.id
  `.execute(tx)
}

async function openNew(tx: Tx, organizationId: string, opened: readonly Failure[]): Promise<Ended[]> {
  if (opened.length === 0) return []
  const decisions = await decideOpened(tx, organizationId, opened)
  const { rows } = await sql<Told>`
    insert into issues (organization_id, device_id, check_id, issue_key, issue_value, title, value, detected_at,
      last_rechecked_at, blocking_since, blocks_device_at, hold_id)
    select ${organizationId}::bigint, device_id, check_id, issue_key, issue_value, title, value, detected_at, ran_at,
      blocking_since, blocks_at, hold_id
    from unnest(
        ${opened.map(({ entry }) => entry.device.id)}::bigint[], ${opened.map(({ verdict }) => verdict.checkId)}::bigint[],
        ${opened.map(({ verdict }) => verdict.primaryKeyColumn)}::text[], ${opened.map(({ value }) => value)}::text[],
        ${opened.map(({ verdict }) => verdict.issueTitle)}::text[],
        ${opened.map(({ row }) => JSON.stringify(row))}::jsonb[],
        ${opened.map(({ entry }) => entry.context.now)}::timestamptz[],
        ${opened.map(({ verdict }) => verdict.ranAt)}::timestamptz[],
        ${decisions.map(({ blocking_since }) => blocking_since)}::timestamptz[],
        ${decisions.map(({ blocks_device_at }) => blocks_device_at)}::timestamptz[],
        ${decisions.map(({ hold_id }) => hold_id)}::bigint[]
      ) with ordinality as given (device_id, check_id, issue_key, issue_value, title, value, detected_at, ran_at,
        blocking_since, blocks_at, hold_id, place)
    order by place
    returning id, device_id, check_id, title
  `.execute(tx)
  const contexts = new Map(opened.map(({ entry }) => [entry.device.id, entry.context]))
  return rows.flatMap((issue) => {
    const context = contexts.get(issue.device_id)
    return context ? [{ issue, context }] : []
  })
}

async function decideOpened(tx: Tx, organizationId: string, opened: readonly Failure[]): Promise<HeldSchedule[]> {
  const decided = opened.map((failure) => ({ failure, decision: blockingOf(failure) }))
  const blocking = decided.flatMap(({ failure, decision: { blocks_device_at: at } }) => {
    const { entry, verdict } = failure
    const isNotAnnounced = isSudden(null, at, entry.context.now)
    if (at === null || !(isNotAnnounced || verdict.upgradedQuery !== null)) return []
    const block: NewBlock = {
      ...{ deviceId: entry.device.id, ownerId: entry.device.registered_owner_id, checkId: verdict.checkId },
      ...{ isSudden: isNotAnnounced, upgradedQuery: verdict.upgradedQuery, context: entry.context },
    }
    return [{ failure, block }]
  })
  const holds = await holdBlocks(
    tx,
    organizationId,
    blocking.map(({ block }) => block),
  )
  const holdOf = new Map(blocking.map(({ failure }, place) => [failure, holds[place] ?? null]))
  return decided.map(({ failure, decision }) => {
    const holdId = holdOf.get(failure) ?? null
    return holdId === null
      ? { ...decision, hold_id: null }
      : { blocking_since: null, blocks_device_at: null, hold_id: holdId }
  })
}

const blockingOf = ({ entry: { device, context }, verdict }: Failure): BlockingDecision =>
  decideBlocking(
    {
      policy: verdict.policy,
      isInBlockingGroups: verdict.isInBlockingGroups,
      isExempted: false,
      detectedAt: context.now,
      blockingSince: null,
      registeredAt: device.registered_at,
      snoozedUntil: verdict.snoozedUntil,
    },
    context.now,
  )
