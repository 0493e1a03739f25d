import { giveTurns } from '../../base/jobs/give-turns.ts'
import { valueText } from '../../base/value-text.ts'
import { readStatusLine } from '../../reporting/problems/table-problem-rules.ts'
import { isInventoryQueryName } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { type Answer, parseFields, success, unknownNodeKey } from './answers.ts'
import { type BodyText, inflateBody } from './bodies/inflate-body.ts'
import { parseWhatFits } from './bodies/parse-what-fits.ts'
import type { DeviceState } from './device-registry.ts'
import { authenticateByBody, noteContact, stateOf } from './load-device.ts'
import type { LoadedDevice } from './settle-schedule.ts'
import { takeProblems } from './take-problems.ts'
import { takeSnapshotLines } from './take-snapshots.ts'

const severityNames = new Map([
  [2, 'error'],
  [3, 'fatal'],
])
const lowestCounted = 2

type LogRequest = {
  /** Undefined: there was none. */
  body: BodyText | undefined
  /** Who sent it, where the header or the start of the body says so. */
  device: DeviceState | LoadedDevice | undefined
  ip: string
  /** Whether nobody waits for the answer anymore. */
  isGone: () => boolean
}

type IsUnavailable = (error: unknown) => boolean

/**
 * The answer to a log request. A batch that cannot be used is taken all the same, and one that is too large as far as it fits: the
 * agent would send the same lines again, and nothing after them, until its buffer overflows.
 */
export async function answerLog(
  context: AgentContext,
  { body, device, ip, isGone }: LogRequest,
  isDatabaseUnavailable: IsUnavailable,
): Promise<Answer> {
  if (body && device) {
    const work = () => answerInTurn(context, body, device, isDatabaseUnavailable)
    return context.largeBodies.take({ kind: 'log', device: stateOf(device), isGone }, work)
  }
  const fields = parseFields(body?.bytes)
  const sender = device ?? (fields && (await authenticateByBody(context, fields, ip)))
  if (fields && !sender) return unknownNodeKey
  if (sender) noteContact(context, stateOf(sender), context.clock())
  if (!sender || stateOf(sender).isUnconfirmed) context.metrics.drainedLogs.inc({ reason: 'unknown' })
  else if (!fields || !(await takeLines(context, sender, fields, isDatabaseUnavailable)))
    warnUnreadable(context, sender, body?.bytes.length ?? 0)
  return success()
}

/** The turn lasts until everything is recorded, so that a slow database does not pile up what has been unpacked. */
async function answerInTurn(
  context: AgentContext,
  body: BodyText,
  device: DeviceState | LoadedDevice,
  isDatabaseUnavailable: IsUnavailable,
): Promise<Answer> {
  const text = await inflateBody(body)
  const parsed = text && (await parseWhatFits(context, text))
  noteContact(context, stateOf(device), context.clock())
  const taken = parsed && (await takeLines(context, device, parsed.fields, isDatabaseUnavailable))
  const bytes = text?.bytes.length ?? body.bytes.length
  if (parsed?.isCut) warnCut(context, device, { type: taken?.type, takenLines: taken?.lines ?? 0, bytes })
  else if (!taken) warnUnreadable(context, device, bytes)
  return success()
}

/** `bytes` are those that were read: of a compressed log, unpacked. */
function warnCut(
  context: AgentContext,
  device: DeviceState | LoadedDevice,
  batch: { type: string | undefined; takenLines: number; bytes: number },
): void {
  context.metrics.drainedLogs.inc({ reason: 'too_large' })
  context.log.warn({ ...placeOf(device), ...batch }, 'a log was longer than is taken: its last lines were dropped')
}

function warnUnreadable(context: AgentContext, device: DeviceState | LoadedDevice, bytes: number): void {
  context.metrics.drainedLogs.inc({ reason: 'unreadable' })
  context.log.warn({ ...placeOf(device), bytes }, 'a log could not be read: its lines were dropped')
}

function placeOf(found: DeviceState | LoadedDevice): { organizationId: string; deviceId: string } {
  const { organization, deviceId } = stateOf(found)
  return { organizationId: organization.id, deviceId }
}

/** What was taken; undefined where there is no list of lines. */
async function takeLines(
  context: AgentContext,
  device: DeviceState | LoadedDevice,
  { data, log_type: type }: Record<string, unknown>,
  isDatabaseUnavailable: IsUnavailable,
): Promise<{ type: 'status' | 'result'; lines: number } | undefined> {
  if (!Array.isArray(data)) return undefined
  if (type === 'status') await takeStatusLines(context, stateOf(device), data, isDatabaseUnavailable)
  else await takeSnapshotLines(context, stateOf(device), data, isDatabaseUnavailable)
  return { type: type === 'status' ? 'status' : 'result', lines: data.length }
}

/** Counts the errors among status lines, and keeps what they say of tables. */
async function takeStatusLines(
  context: AgentContext,
  device: DeviceState,
  lines: readonly unknown[],
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  const counts = new Map<string, number>()
  const problems = new Map<string, string>()
  const giveTurn = giveTurns()
  for (const line of lines) {
    await giveTurn()
    const told = readStatusLine(line)
    if (told && isInventoryQueryName(told.name)) problems.set(told.name, told.message)
    const severity = severityOf(line)
    if (severity < lowestCounted) continue
    const name = severityNames.get(severity) ?? 'other'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [severity, count] of counts) context.metrics.statusLines.inc({ severity }, count)
  const told = [...problems].map(([name, message]) => ({ name, message }))
  await takeProblems(context, device, told, isDatabaseUnavailable)
}

/** A number since osquery 5.10, a text before. */
function severityOf(line: unknown): number {
  if (typeof line !== 'object' || line === null || !('severity' in line)) return 0
  const severity = Number(valueText(line.severity))
  return Number.isInteger(severity) ? severity : 0
}
