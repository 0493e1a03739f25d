import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import { type Db, type Tx, transact } from '../db/transact.ts'
import { type LockedDevice, lockDevice } from '../devices/lock-device.ts'
import { type Happening, settleAuthState } from '../devices/settle-auth-state.ts'
import { type IssueVerdict, settleIssues } from '../issues/settle-issues.ts'
import { adjustTallies } from './adjust-tallies.ts'
import { digestOutcome } from './digest-outcome.ts'
import { holdConfigurations } from './hold-configurations.ts'
import { type CheckOutcome, type Judgement, judge } from './rules.ts'
import { isAllowed } from './targeting-rules.ts'

export type CheckRun = {
  checkId: string
  /** Revision of the query that was handed out; null for results reported from outside. */
  queryRevision: string | null
  /** When the query was handed out: the moment the result speaks for. */
  ranAt: string
  outcome: CheckOutcome
}

export type DeviceRuns = { organizationId: string; deviceId: string; runs: readonly CheckRun[] }

/**
 * Takes in what checks found on one device; each check at most once in `runs`. Runs that say what is stored already
 * write nothing here. Returns the accepted runs; refused are those of checks that do not target the device, are
 * paused, have another query by now, or have a later answer.
 */
export async function recordResults(db: Db, device: DeviceRuns, happening: Happening): Promise<CheckRun[]> {
  if (device.runs.length === 0) return []
  const digests = new Map(device.runs.map((run) => [run.checkId, digestOutcome(run.outcome)]))
  const unchanged = await unchangedChecks(db, device, digests)
  const changed = device.runs.filter((run) => !unchanged.has(run.checkId))
  const confirmed = device.runs.filter((run) => unchanged.has(run.checkId))
  if (changed.length === 0) return confirmed
  const accepted = await transact(db, (tx) => recordChanges(tx, { ...device, runs: changed }, digests, happening))
  return [...confirmed, ...accepted]
}

async function unchangedChecks(db: Db, { organizationId, deviceId, runs }: DeviceRuns, digests: Map<string, Buffer>) {
  const { rows } = await sql<{ check_id: string }>`
    select check_results.check_id
    from unnest(
      ${runs.map((run) => run.checkId)}::bigint[],
      ${runs.map((run) => run.queryRevision)}::bigint[],
      ${runs.map((run) => digests.get(run.checkId) ?? null)}::bytea[]
    ) as run (check_id, query_revision, digest)
    join check_results on ${inOrganization('check_results', organizationId)}
      and check_results.device_id = ${deviceId}::bigint and check_results.check_id = run.check_id
    join check_configurations as configuration on configuration.organization_id = check_results.organization_id
      and configuration.check_id = check_results.check_id
    where check_results.rows_digest = run.digest
      and check_results.query_revision is not distinct from run.query_revision
      and (run.query_revision is null or configuration.query_revision = run.query_revision)
      and check_results.status <> 'stale' and configuration.paused_at is null
  `.execute(db)
  return new Set(rows.map((row) => row.check_id))
}

type StoredResult = Awaited<ReturnType<typeof storedResults>>[number]
type Change = { run: CheckRun; stored: StoredResult; judgement: Judgement; status: StoredResult['status'] }

async function recordChanges(
  tx: Tx,
  { organizationId, deviceId, runs }: DeviceRuns,
  digests: Map<string, Buffer>,
  happening: Happening,
): Promise<CheckRun[]> {
  await holdConfigurations(tx, organizationId)
  const device = await lockDevice(tx, organizationId, deviceId)
  if (!device) return []
  const stored = new Map((await storedResults(tx, device, runs)).map((row) => [row.check_id, row]))
  const changes = runs.flatMap((run): Change[] => {
    const row = stored.get(run.checkId)
    if (!row || isRefused(run, row)) return []
    const judgement = judge(run.outcome, row.primary_key_column)
    return [{ run, stored: row, judgement, status: row.exempted_at === null ? judgement.status : 'out_of_scope' }]
  })
  if (changes.length === 0) return []
  await storeResults(tx, device, changes, digests)
  await adjustTallies(
    tx,
    organizationId,
    changes.map(({ run, stored: { status: from }, status: to }) => ({ checkId: run.checkId, deviceId, from, to })),
  )
  const verdicts = changes
    .filter(({ stored: row }) => row.exempted_at === null)
    .map((change) => verdictOf(change, device))
  await settleIssues(tx, device, verdicts, happening)
  await settleAuthState(tx, device, happening)
  return changes.map(({ run }) => run)
}

async function storedResults(tx: Tx, device: LockedDevice, runs: readonly CheckRun[]) {
  return tx
    .selectFrom('check_results')
    .innerJoin('checks', (join) =>
      join
        .onRef('checks.organization_id', '=', 'check_results.organization_id')
        .onRef('checks.id', '=', 'check_results.check_id'),
    )
    .innerJoin('check_configurations as configuration', (join) =>
      join
        .onRef('configuration.organization_id', '=', 'check_results.organization_id')
        .onRef('configuration.check_id', '=', 'check_results.check_id'),
    )
    .select([
      'check_results.check_id',
      'check_results.status',
      'check_results.ran_at',
      'check_results.exempted_at',
      'check_results.snoozed_until',
      'checks.primary_key_column',
      'checks.issue_title',
      'configuration.query_revision as wanted_revision',
      'configuration.paused_at',
      'configuration.remediation_strategy',
      'configuration.block_auth_grace_period_days',
      'configuration.begins_blocking_on',
      'configuration.blocking_allowed_groups',
      'configuration.blocking_excluded_groups',
      sql<string | null>`(
        select runs.ran_at[array_position(runs.check_ids, check_results.check_id)] from device_check_runs as runs
        where runs.organization_id = check_results.organization_id and runs.device_id = check_results.device_id
      )`.as('noted_at'),
    ])
    .where(inOrganization('check_results', device.organization_id))
    .where('check_results.device_id', '=', device.id)
    .where('check_results.check_id', '=', sql<string>`any(${runs.map((run) => run.checkId)}::bigint[])`)
    .execute()
}

function isRefused(run: CheckRun, stored: StoredResult): boolean {
  if (stored.paused_at !== null) return true
  if (run.queryRevision === null) return false
  const isOutdated = run.queryRevision !== stored.wanted_revision
  const last = [stored.ran_at ?? '', stored.noted_at ?? ''].sort().at(-1) ?? ''
  return isOutdated || run.ranAt <= last
}

const verdictOf = ({ run, stored, judgement }: Change, device: LockedDevice): IssueVerdict => ({
  checkId: run.checkId,
  issueTitle: stored.issue_title,
  primaryKeyColumn: stored.primary_key_column,
  policy: stored,
  isInBlockingGroups: isAllowed(stored.blocking_allowed_groups, stored.blocking_excluded_groups, device),
  snoozedUntil: stored.snoozed_until,
  ranAt: run.ranAt,
  failures: judgement.failures,
  resolves: judgement.resolves,
})

async function storeResults(tx: Tx, device: LockedDevice, changes: readonly Change[], digests: Map<string, Buffer>) {
  await sql`
    update check_results
    set status = change.status, rows = change.rows, rows_digest = change.digest, error_message = change.message,
      query_revision = change.query_revision, ran_at = change.ran_at
    from unnest(
      ${changes.map(({ run }) => run.checkId)}::bigint[],
      ${changes.map(({ status }) => status)}::text[],
      ${changes.map(({ judgement }) => JSON.stringify(judgement.rows))}::jsonb[],
      ${changes.map(({ run }) => digests.get(run.checkId) ?? null)}::bytea[],
      ${changes.map(({ judgement }) => judgement.message)}::text[],
      ${changes.map(({ run }) => run.queryRevision)}::bigint[],
      ${changes.map(({ run }) => run.ranAt)}::timestamptz[]
    ) as change (check_id, status, rows, digest, message, query_revision, ran_at)
    where ${inOrganization('check_results', device.organization_id)}
      and check_results.device_id = ${device.id}::bigint and check_results.check_id = change.check_id
  `.execute(tx)
}
