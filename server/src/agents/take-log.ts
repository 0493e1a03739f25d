import type { AgentContext } from './agent-context.ts'
import { type Answer, fieldsOf, success, unknownNodeKey } from './answers.ts'
import type { DeviceState } from './device-registry.ts'
import { inflateLog } from './inflate-log.ts'
import { authenticateByBody, type LoadedDevice, noteContact, stateOf } from './load-device.ts'

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
): Promise<Answer> {
  const body = bytes && fieldsOf(await context.inLogTurn(() => inflateLog(bytes)))
  const device = found ?? (body && (await authenticateByBody(context, body)))
  if (body && !device) return unknownNodeKey
  if (device) noteContact(context, stateOf(device), context.clock())
  if (body) takeLog(context, body)
  else context.metrics.drainedLogs.inc()
  return success()
}

/** Counts the errors among status lines. Result lines belong to reports, of which this server asks none yet. */
function takeLog(context: AgentContext, { log_type: type, data }: Record<string, unknown>): void {
  if (type !== 'status' || !Array.isArray(data)) return
  for (const line of data) {
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
