import { sql } from 'kysely'
import { inOrganization } from '../db/in-organization.ts'
import { type Db, type Tx, transact } from '../db/transact.ts'
import { type LockedDevice, lockDevices } from '../devices/lock-device.ts'
import { type Happening, settleAuthState } from '../devices/settle-auth-state.ts'
import { type DeviceVerdicts, type IssueVerdict, settleIssues } from '../issues/settle-issues.ts'
import { adjustTallies } from './adjust-tallies.ts'
import { digestOutcome } from './digest-outcome.ts'
import { holdConfigurations } from './hold-configurations.ts'
import { type CheckOutcome, type Judgement, judge } from './rules.ts'
import {
  type CheckFacts,
  listCheckFacts,
  listStoredResults,
  type Pair,
  type StoredResult,
  storeResults,
} from './stored-results.ts'
import { isAllowed } from './targeting-rules.ts'

export type CheckRun = {
  checkId: string
  /** Revision of the query that was handed out; null for results reported from outside. */
  queryRevision: string | null
  /** When the query was handed out: the moment the result speaks for. */
  ranAt: string
  outcome: CheckOutcome
}

/** What one device reports, each check at most once in `runs`, and what its consequences are put down to. */
export type Recording = {
  organizationId: string
  deviceId: string
  runs: readonly CheckRun[]
  happening: Happening
}

type Reported = Pair & { run: CheckRun; digest: Buffer }

/**
 * Takes in what checks found on devices of one organization, each device at most once, all of it or nothing. Runs that
 * say what is stored already write nothing here. Returns the accepted runs of each recording; refused are those of
 * checks that do not target the device, are paused, have another query by now, or have a later answer, and all of a
 * deleted device.
 */
export async function recordTogether(
  db: Db,
  organizationId: string,
  recordings: readonly Recording[],
): Promise<CheckRun[][]> {
  const reported = recordings.flatMap(({ deviceId, runs }) =>
    runs.map((run): Reported => ({ deviceId, checkId: run.checkId, run, digest: digestOutcome(run.outcome) })),
  )
  if (reported.length === 0) return recordings.map(() => [])
  const unchanged = await unchangedPairs(db, organizationId, reported)
  const changed = reported.filter((one) => !unchanged.has(keyOf(one)))
  const accepted =
    changed.length === 0
      ? unchanged
      : new Set([...unchanged, ...(await transact(db, (tx) => recordChanges(tx, organizationId, recordings, changed)))])
  return recordings.map(({ deviceId, runs }) =>
    runs.filter(({ checkId }) => accepted.has(keyOf({ deviceId, checkId }))),
  )
}

const keyOf = ({ deviceId, checkId }: Pair): string => `${deviceId}/${checkId}`

async function unchangedPairs(db: Db, organizationId: string, reported: readonly Reported[]): Promise<Set<string>> {
  const { rows } = await sql<{ place: string }>`
    select report.place
    from unnest(
      ${reported.map(({ deviceId }) => deviceId)}::bigint[],
      ${reported.map(({ checkId }) => checkId)}::bigint[],
      ${reported.map(({ run }) => run.queryRevision)}::bigint[],
      ${reported.map(({ digest }) => digest)}::bytea[]
    ) with ordinality as report (device_id, check_id, query_revision, digest, place)
    join check_results on ${inOrganization('check_results', organizationId)}
      and check_results.device_id = report.device_id and check_results.check_id = report.check_id
    join check_configurations as configuration on configuration.organization_id = check_results.organization_id
      and configuration.check_id = check_results.check_id
    where check_results.rows_digest = report.digest
      and check_results.query_revision is not distinct from report.query_revision
      and (report.query_revision is null or configuration.query_revision = report.query_revision)
      and check_results.status <> 'stale' and configuration.paused_at is null
      and report.device_id not in (
        select id from devices where ${inOrganization('devices', organizationId)} and deleted_at is not null
      )
  `.execute(db)
  return new Set(
    rows.flatMap(({ place }) => {
      const one = reported[Number(place) - 1]
      return one ? [keyOf(one)] : []
    }),
  )
}

type Change = Reported & {
  device: LockedDevice
  check: CheckFacts
  stored: StoredResult
  judgement: Judgement
  status: StoredResult['status']
}

/** Returns the keys of the accepted. */
async function recordChanges(
  tx: Tx,
  organizationId: string,
  recordings: readonly Recording[],
  reported: readonly Reported[],
): Promise<string[]> {
  await holdConfigurations(tx, organizationId)
  const devices = await lockDevices(tx, organizationId, [...new Set(reported.map(({ deviceId }) => deviceId))])
  if (devices.length === 0) return []
  const changes = await decide(tx, organizationId, devices, reported)
  if (changes.length === 0) return []
  const results = changes.map(({ deviceId, checkId, digest, run, judgement }) => ({
    ...{ deviceId, checkId, digest, status: judgement.status },
    ...{ rows: judgement.rows, message: judgement.message, queryRevision: run.queryRevision, ranAt: run.ranAt },
  }))
  await storeResults(tx, organizationId, results)
  await adjustTallies(
    tx,
    organizationId,
    changes.map(({ deviceId, checkId, stored, status }) => ({ deviceId, checkId, from: stored.status, to: status })),
  )
  await settle(tx, organizationId, recordings, changes)
  return changes.map(keyOf)
}

async function decide(
  tx: Tx,
  organizationId: string,
  devices: readonly LockedDevice[],
  reported: readonly Reported[],
): Promise<Change[]> {
  const checkIds = [...new Set(reported.map(({ checkId }) => checkId))]
  const checks = new Map((await listCheckFacts(tx, organizationId, checkIds)).map((check) => [check.id, check]))
  const rows = await listStoredResults(tx, organizationId, reported)
  const results = new Map(rows.map((row) => [keyOf({ deviceId: row.device_id, checkId: row.check_id }), row]))
  const locked = new Map(devices.map((device) => [device.id, device]))
  return reported.flatMap((one): Change[] => {
    const [device, check, stored] = [locked.get(one.deviceId), checks.get(one.checkId), results.get(keyOf(one))]
    if (!device || !check || !stored || isRefused(one.run, check, stored)) return []
    const judgement = judge(one.run.outcome, check.primary_key_column)
    const status = stored.exempted_at === null ? judgement.status : 'out_of_scope'
    return [{ ...one, device, check, stored, judgement, status }]
  })
}

function isRefused(run: CheckRun, check: CheckFacts, stored: StoredResult): boolean {
  if (check.paused_at !== null) return true
  if (run.queryRevision === null) return false
  const isOutdated = run.queryRevision !== check.wanted_revision
  return isOutdated || run.ranAt <= (stored.ran_at ?? '') || run.ranAt <= (stored.noted_at ?? '')
}

/** A device none of whose issues came or went keeps its state: the passing of time is the worker's affair. */
async function settle(tx: Tx, organizationId: string, recordings: readonly Recording[], changes: readonly Change[]) {
  const happenings = new Map(recordings.map(({ deviceId, happening }) => [deviceId, happening]))
  const byDevice = Map.groupBy(changes, ({ device }) => device)
  const entries = [...byDevice].flatMap(([device, some]): DeviceVerdicts[] => {
    const happening = happenings.get(device.id)
    return happening ? [{ device, happening, verdicts: some.map(verdictOf) }] : []
  })
  for (const { device, happening } of await settleIssues(tx, organizationId, entries)) {
    await settleAuthState(tx, device, happening)
  }
}

const verdictOf = ({ run, check, stored, judgement, device }: Change): IssueVerdict => ({
  checkId: check.id,
  issueTitle: check.issue_title,
  primaryKeyColumn: check.primary_key_column,
  policy: check,
  isInBlockingGroups: isAllowed(check.blocking_allowed_groups, check.blocking_excluded_groups, device),
  snoozedUntil: stored.snoozed_until,
  ranAt: run.ranAt,
  isExempted: stored.exempted_at !== null,
  failures: judgement.failures,
  resolves: judgement.resolves,
})
