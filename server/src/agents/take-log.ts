import type { AgentContext } from './agent-context.ts'

const severityNames = new Map([
  [2, 'error'],
  [3, 'fatal'],
])
const lowestCounted = 2

type Fields = Record<string, unknown>

/**
 * Takes in a batch of log lines. Status lines of errors are counted; result lines belong to reports, of which this
 * server asks none yet, so they are ignored. Nothing is ever refused: a refused batch would block all later ones.
 */
export function takeLog(context: AgentContext, body: Fields): void {
  const { log_type: type, data } = body
  if (!Array.isArray(data)) return
  if (type !== 'status') return
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
