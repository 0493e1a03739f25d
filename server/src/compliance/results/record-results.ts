import type { ChangeOrigin } from '../../base/change-context.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { type LockedDevice, lockDevices } from '../../inventory/devices/lock-device.ts'
import { settleEachAuthState } from '../../inventory/devices/settle-auth-state.ts'
import { type DeviceVerdicts, type IssueVerdict, settleIssues } from '../issues/settle-issues.ts'
import { adjustTallies } from '../standing/adjust-tallies.ts'
import { holdConfigurations } from '../standing/hold-configurations.ts'
import { type CheckOutcome, type Judgement, judge } from '../standing/rules.ts'
import {
  type CheckFacts,
  listCheckFacts,
  listOutdated,
  type Pair,
  type StoredResult,
  storeResults,
} from '../standing/stored-results.ts'
import { isAllowed } from '../standing/targeting-rules.ts'
import { digestOutcome } from './digest-outcome.ts'

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
  context: ChangeOrigin
}

type Report = Pair & { run: CheckRun; digest: string }

/** A report that says something else than what is stored. */
type Outdated = { report: Report; stored: StoredResult }

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
  const reports = recordings.map(({ deviceId, runs }) =>
    runs.map((run): Report => ({ deviceId, checkId: run.checkId, run, digest: digestOutcome(run.outcome) })),
  )
  const outdated = await look(db, organizationId, reports.flat())
  const refused = new Set(await recordOutdated(db, organizationId, recordings, outdated))
  return reports.map((own) => own.filter((report) => !refused.has(report)).map(({ run }) => run))
}

async function look(executor: Db | Tx, organizationId: string, reports: readonly Report[]): Promise<Outdated[]> {
  if (reports.length === 0) return []
  const rows = await listOutdated(executor, organizationId, reports)
  return rows.flatMap((stored) => {
    const report = reports[stored.place - 1]
    return report ? [{ report, stored }] : []
  })
}

/** A result was written between the look at it and the lock of its device. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/**
 * Returns the refused. What was seen before the devices were locked is decided on, and holds as long as the versions of
 * the rows are the same when they are written; else everything is looked at again under the locks.
 */
async function recordOutdated(
  db: Db,
  organizationId: string,
  recordings: readonly Recording[],
  outdated: readonly Outdated[],
): Promise<Report[]> {
  if (outdated.length === 0) return []
  const devices = [...new Set(outdated.map(({ report }) => report.deviceId))]
  try {
    return await transact(db, async (tx) => {
      const locked = await lock(tx, organizationId, devices)
      return recordChanges(tx, organizationId, recordings, locked, outdated)
    })
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    const reports = outdated.map(({ report }) => report)
    return transact(db, async (tx) => {
      const locked = await lock(tx, organizationId, devices)
      return recordChanges(tx, organizationId, recordings, locked, await look(tx, organizationId, reports))
    })
  }
}

async function lock(tx: Tx, organizationId: string, deviceIds: readonly string[]): Promise<LockedDevice[]> {
  await holdConfigurations(tx, organizationId)
  return lockDevices(tx, organizationId, deviceIds)
}

type Change = Outdated & {
  device: LockedDevice
  check: CheckFacts
  judgement: Judgement
  /** Of the query that an upgrade brought, where this is the first answer to it. */
  upgradedQuery: string | null
  status: StoredResult['status']
}

/** Returns the refused. */
async function recordChanges(
  tx: Tx,
  organizationId: string,
  recordings: readonly Recording[],
  devices: readonly LockedDevice[],
  outdated: readonly Outdated[],
): Promise<Report[]> {
  const changes = devices.length === 0 ? [] : await decide(tx, organizationId, devices, outdated)
  if (changes.length > 0) await store(tx, organizationId, changes)
  if (changes.length > 0) await settle(tx, organizationId, recordings, changes)
  const accepted = new Set(changes.map(({ report }) => report))
  return outdated.map(({ report }) => report).filter((report) => !accepted.has(report))
}

async function store(tx: Tx, organizationId: string, changes: readonly Change[]): Promise<void> {
  const results = changes.map(({ report: { deviceId, checkId, digest, run }, judgement, stored, upgradedQuery }) => ({
    ...{ deviceId, checkId, digest, status: judgement.status, version: stored.version },
    ...{ rows: judgement.rows, message: judgement.message, needsOsquery: judgement.needsOsquery },
    ...{ isFirstAfterUpgrade: upgradedQuery !== null, queryRevision: run.queryRevision, ranAt: run.ranAt },
  }))
  const stored = await storeResults(tx, organizationId, results)
  if (stored !== results.length) throw new Overtaken('Results were written meanwhile')
  await adjustTallies(
    tx,
    organizationId,
    changes.map(({ report: { deviceId, checkId }, stored: { status: from }, status: to }) => ({
      ...{ deviceId, checkId, from, to },
    })),
  )
}

async function decide(
  tx: Tx,
  organizationId: string,
  devices: readonly LockedDevice[],
  outdated: readonly Outdated[],
): Promise<Change[]> {
  const checkIds = [...new Set(outdated.map(({ report }) => report.checkId))]
  const checks = new Map((await listCheckFacts(tx, organizationId, checkIds)).map((check) => [check.id, check]))
  const locked = new Map(devices.map((device) => [device.id, device]))
  return outdated.flatMap(({ report, stored }): Change[] => {
    const [device, check] = [locked.get(report.deviceId), checks.get(report.checkId)]
    if (!device || !check || stored.status === null || isRefused(report.run, check, stored)) return []
    const judgement = judge(report.run.outcome, check.primary_key_column)
    const status = stored.exempted_at === null ? judgement.status : 'out_of_scope'
    return [{ report, stored, device, check, judgement, status, upgradedQuery: firstAnsweredQuery(check, stored) }]
  })
}

function isRefused(run: CheckRun, check: CheckFacts, stored: StoredResult): boolean {
  if (check.paused_at !== null) return true
  if (run.queryRevision === null) return false
  const isOutdated = run.queryRevision !== check.wanted_revision
  return isOutdated || run.ranAt <= (stored.ran_at ?? '') || run.ranAt <= (stored.noted_at ?? '')
}

/** A device that had answered no query before has nothing that an upgrade could have changed. */
function firstAnsweredQuery({ upgraded_query_revision: upgraded }: CheckFacts, stored: StoredResult): string | null {
  if (upgraded === null || stored.query_revision === null) return null
  return BigInt(stored.query_revision) < BigInt(upgraded) ? upgraded : null
}

/** A device none of whose issues came or went keeps its state: the passing of time is the worker's affair. */
async function settle(tx: Tx, organizationId: string, recordings: readonly Recording[], changes: readonly Change[]) {
  const contexts = new Map(recordings.map(({ deviceId, context }) => [deviceId, context]))
  const byDevice = Map.groupBy(changes, ({ device }) => device)
  const entries = [...byDevice].flatMap(([device, some]): DeviceVerdicts[] => {
    const context = contexts.get(device.id)
    return context ? [{ device, context, verdicts: some.map(verdictOf) }] : []
  })
  await settleEachAuthState(tx, organizationId, await settleIssues(tx, organizationId, entries))
}

const verdictOf = ({ report: { run }, check, stored, judgement, device, upgradedQuery }: Change): IssueVerdict => ({
  checkId: check.id,
  issueTitle: check.issue_title,
  primaryKeyColumn: check.primary_key_column,
  policy: check,
  isInBlockingGroups: isAllowed(check.blocking_allowed_groups, check.blocking_excluded_groups, device),
  snoozedUntil: stored.snoozed_until,
  ranAt: run.ranAt,
  upgradedQuery,
  isExempted: stored.exempted_at !== null,
  failures: judgement.failures,
  // What the query before failed wrongly, the new one may find unknown: that blocks nobody.
  resolves: (value) => judgement.resolves(value) || (upgradedQuery !== null && judgement.isUnknown(value)),
})
