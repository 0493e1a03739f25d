import { giveTurns } from '../../base/jobs/give-turns.ts'
import { dayMs } from '../../base/time.ts'
import { valueText } from '../../base/value-text.ts'
import { readSnapshot, type Snapshot } from '../../reporting/read-snapshot.ts'
import { recordSnapshots } from '../../reporting/record-snapshots.ts'
import { findInventoryQuery, isInventoryQueryName } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { isSuccess } from './answer-rules.ts'
import { fieldsOf } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { firstRounds } from './settle-schedule.ts'
import { takeProblems } from './take-problems.ts'

type Report = Parameters<typeof readSnapshot>[0] & {
  /** By the device's clock, where that can be believed. */
  writtenAtMs?: number | undefined
}

/** Of a line that is older than this by the device's clock, only its place among the others counts. */
const maxBehindMs = dayMs

/** Takes in the snapshots among the result lines of a log; anything else among them is counted and dropped. */
export async function takeSnapshotLines(
  context: AgentContext,
  device: DeviceState,
  lines: readonly unknown[],
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  const now = context.clock()
  const giveTurn = giveTurns()
  const reports: (Report | undefined)[] = []
  for (const line of lines) {
    reports.push(reportOfLine(device, line, now))
    await giveTurn()
  }
  await take(context, device, reports, isDatabaseUnavailable)
}

/** Takes in what a device answers to its first round, which comes as a distributed write. */
export async function takeFirstRound(
  context: AgentContext,
  device: DeviceState,
  body: unknown,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  const { queries, statuses, messages } = fieldsOf(body) ?? {}
  const statusOf = fieldsOf(statuses) ?? {}
  const messageOf = fieldsOf(messages) ?? {}
  const takenAt = context.clock()
  const names = Object.entries(fieldsOf(queries) ?? {}).filter(([name]) => isInventoryQueryName(name))
  // Also one that has failed has said what it can.
  for (const [name] of names) device.firstAsked?.set(name, firstRounds)
  const reports = names.map(([name, rows]) => {
    const table = device.reportsAs && findInventoryQuery(device.reportsAs, name)?.table
    return table && isSuccess(statusOf[name]) ? { table, rows, takenAt, isScheduled: false } : undefined
  })
  await take(context, device, reports, isDatabaseUnavailable)
  const failed = names.filter(([name]) => !isSuccess(statusOf[name]))
  const told = failed.map(([name]) => ({ name, message: valueText(messageOf[name]) }))
  await takeProblems(context, device, told, isDatabaseUnavailable)
}

/**
 * A line counts from its arrival, so that no clock that was ahead or steps back silences a device. osquery up to 2.9
 * writes a snapshot without rows as an empty text.
 */
function reportOfLine(device: DeviceState, line: unknown, now: string): Report | undefined {
  const { name, action, snapshot, unixTime } = fieldsOf(line) ?? {}
  const seconds = typeof unixTime === 'string' ? Number(unixTime) : unixTime
  const rows = snapshot === '' ? [] : snapshot
  const isSnapshot = action === 'snapshot' && Array.isArray(rows) && typeof name === 'string'
  if (!isSnapshot || !device.reportsAs || typeof seconds !== 'number' || Number.isNaN(seconds)) return undefined
  const query = findInventoryQuery(device.reportsAs, name)
  if (!query) return undefined
  const nowMs = Date.parse(now)
  const toldMs = Math.min(Math.floor(seconds) * 1000, nowMs)
  const writtenAtMs = nowMs - toldMs > maxBehindMs ? undefined : toldMs
  return { table: query.table, rows, takenAt: now, writtenAtMs, isScheduled: true }
}

async function take(
  context: AgentContext,
  device: DeviceState,
  reports: readonly (Report | undefined)[],
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  const known = reports.filter((report) => report !== undefined)
  const newest = newestOfEachTable(known)
  context.metrics.snapshots.inc({ outcome: 'outdated' }, known.length - newest.length)
  const snapshots: Snapshot[] = []
  const giveTurn = giveTurns()
  for (const report of newest) {
    const snapshot = await readSnapshot(report, giveTurn)
    if (isAnswer(report, snapshot)) snapshots.push(snapshot)
  }
  const ignored = reports.length - known.length + (newest.length - snapshots.length)
  context.metrics.snapshots.inc({ outcome: 'ignored' }, ignored)
  if (snapshots.length === 0) return
  try {
    await record(context, device, snapshots)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    for (const snapshot of snapshots) await recordAlone(context, device, snapshot, isDatabaseUnavailable)
  }
}

/** Rows of which none has any of the asked columns do not say that the table is empty. */
const isAnswer = ({ rows }: Report, snapshot: Snapshot): boolean =>
  snapshot.rows.length > 0 || !Array.isArray(rows) || rows.length === 0

/**
 * After a time without a connection, an agent sends what it has kept: only the last of each table counts. That is the later
 * line, unless the device's clock says that it is the older one.
 */
function newestOfEachTable(reports: readonly Report[]): Report[] {
  const newest = new Map<string, Report>()
  for (const report of reports) {
    const known = newest.get(report.table.name)
    if (!known || !isOlder(report, known)) newest.set(report.table.name, report)
  }
  return [...newest.values()]
}

const isOlder = ({ writtenAtMs: one }: Report, { writtenAtMs: other }: Report): boolean =>
  one !== undefined && other !== undefined && one < other

async function record(context: AgentContext, device: DeviceState, snapshots: readonly Snapshot[]): Promise<void> {
  const place = { organizationId: device.organization.id, deviceId: device.deviceId }
  const outcomes = await context.inRecordingTurn(() =>
    recordSnapshots(context.db, context.snapshotTimes, place, snapshots, context.clock()),
  )
  for (const [index, { table, isTruncated }] of snapshots.entries()) {
    const outcome = outcomes[index] ?? 'outdated'
    context.metrics.snapshots.inc({ outcome })
    if (isTruncated && outcome === 'changed') {
      context.log.warn({ ...place, table: table.name }, 'a snapshot was too large and has been cut short')
    }
  }
}

/** What cannot be recorded although the database is there is dropped: the agent would send it again and again. */
async function recordAlone(
  context: AgentContext,
  device: DeviceState,
  snapshot: Snapshot,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  try {
    await record(context, device, [snapshot])
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    context.metrics.snapshots.inc({ outcome: 'failed' })
    const { deviceId, organization } = device
    const fields = { organizationId: organization.id, deviceId, table: snapshot.table.name, err: error }
    context.log.error(fields, 'snapshot not recorded')
  }
}
