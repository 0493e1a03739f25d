import { parseInTurns } from '../../base/parse-in-turns.ts'
import { agentLimits } from '../../base/scan-json.ts'
import { valueText } from '../../base/value-text.ts'
import type { AgentContext } from './agent-context.ts'
import { type Answer, fieldsOf, parseFields, success, unknownNodeKey } from './answers.ts'
import { inflateBody } from './bodies/inflate-body.ts'
import { countReplaced } from './count-replaced.ts'
import type { DeviceState } from './device-registry.ts'
import { authenticateByBody, type LoadedDevice, noteContact, stateOf } from './load-device.ts'
import { takeSnapshotLines } from './take-snapshots.ts'

const severityNames = new Map([
  [2, 'error'],
  [3, 'fatal'],
])
const lowestCounted = 2

type LogRequest = {
  /** Undefined: there was none, or it was too long to keep. */
  bytes: Buffer | undefined
  /** Who sent it, where the header or the start of the body says so. */
  device: DeviceState | LoadedDevice | undefined
  ip: string
  /** Whether nobody waits for the answer anymore. */
  isGone: () => boolean
}

/**
 * The answer to a log request. A batch that cannot be used is taken all the same: the agent would send the same lines
 * again, and nothing after them, until its buffer overflows.
 */
export async function answerLog(
  context: AgentContext,
  { bytes, device, ip, isGone }: LogRequest,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<Answer> {
  if (bytes && device) {
    const work = () => answerInTurn(context, bytes, device, isDatabaseUnavailable)
    return context.largeBodies.take({ kind: 'log', device: stateOf(device), isGone }, work)
  }
  const body = parseFields(bytes)
  const sender = device ?? (body && (await authenticateByBody(context, body, ip)))
  if (body && !sender) return unknownNodeKey
  if (sender) noteContact(context, stateOf(sender), context.clock())
  if (body && sender && !stateOf(sender).isUnconfirmed) await takeLines(context, sender, body, isDatabaseUnavailable)
  else context.metrics.drainedLogs.inc()
  return success()
}

/** The turn lasts until everything is recorded, so that a slow database does not pile up what has been unpacked. */
async function answerInTurn(
  context: AgentContext,
  bytes: Buffer,
  device: DeviceState | LoadedDevice,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<Answer> {
  const text = await inflateBody(bytes)
  if (text) countReplaced(context, text)
  const parsed = text && (await parseInTurns(text, agentLimits))
  const body = parsed && 'ok' in parsed ? fieldsOf(parsed.ok) : undefined
  noteContact(context, stateOf(device), context.clock())
  if (body) await takeLines(context, device, body, isDatabaseUnavailable)
  else context.metrics.drainedLogs.inc()
  return success()
}

async function takeLines(
  context: AgentContext,
  device: DeviceState | LoadedDevice,
  { data, log_type: type }: Record<string, unknown>,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  if (!Array.isArray(data)) return
  if (type === 'status') countErrors(context, data)
  else await takeSnapshotLines(context, stateOf(device), data, isDatabaseUnavailable)
}

/** Counts the errors among status lines. */
function countErrors(context: AgentContext, lines: readonly unknown[]): void {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const severity = severityOf(line)
    if (severity < lowestCounted) continue
    const name = severityNames.get(severity) ?? 'other'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [severity, count] of counts) context.metrics.statusLines.inc({ severity }, count)
}

/** A number since osquery 5.10, a text before. */
function severityOf(line: unknown): number {
  if (typeof line !== 'object' || line === null || !('severity' in line)) return 0
  const severity = Number(valueText(line.severity))
  return Number.isInteger(severity) ? severity : 0
}
