import type { AgentContext } from './agent-context.ts'
import { type Answer, fieldsOf, success, unknownNodeKey } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { inflateLog } from './inflate-log.ts'
import { authenticateByBody, type LoadedDevice, noteContact, stateOf } from './load-device.ts'
import { takeSnapshotLines } from './take-snapshots.ts'

const severityNames = new Map([
  [2, 'error'],
  [3, 'fatal'],
])
const lowestCounted = 2

/**
 * The answer to a log request; `found` is the device where a header named it. A batch that cannot be used is taken
 * all the same: the agent would send the same lines again, and nothing after them, until its buffer overflows.
 */
export async function answerLog(
  context: AgentContext,
  bytes: Buffer | undefined,
  found: DeviceState | LoadedDevice | undefined,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<Answer> {
  if (bytes) return context.inLogTurn(() => answerInTurn(context, bytes, found, isDatabaseUnavailable))
  if (found) noteContact(context, stateOf(found), context.clock())
  context.metrics.drainedLogs.inc()
  return success()
}

/** The turn lasts until everything is recorded, so that a slow database does not pile up what has been unpacked. */
async function answerInTurn(
  context: AgentContext,
  bytes: Buffer,
  found: DeviceState | LoadedDevice | undefined,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<Answer> {
  const body = fieldsOf(await inflateLog(bytes))
  const device = found ?? (body && (await authenticateByBody(context, body)))
  if (body && !device) return unknownNodeKey
  if (device) noteContact(context, stateOf(device), context.clock())
  if (!body || !device) context.metrics.drainedLogs.inc()
  else if (Array.isArray(body['data'])) {
    if (body['log_type'] === 'status') countErrors(context, body['data'])
    else await takeSnapshotLines(context, stateOf(device), body['data'], isDatabaseUnavailable)
  }
  return success()
}

/** Counts the errors among status lines. */
function countErrors(context: AgentContext, lines: readonly unknown[]): void {
  for (const line of lines) {
    const severity = severityOf(line)
    if (severity >= lowestCounted) {
      context.metrics.statusLines.inc({ severity: severityNames.get(severity) ?? 'other' })
    }
  }
}

/** A number since osquery 5.10, a text before. */
function severityOf(line: unknown): number {
  if (typeof line !== 'object' || line === null || !('severity' in line)) return 0
  const severity = Number(line.severity)
  return Number.isInteger(severity) ? severity : 0
}
