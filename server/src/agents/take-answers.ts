import type { CheckRun } from '../checks/record-results.ts'
import { isInventoryQueryName } from '../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { readAnswers } from './answer-rules.ts'
import type { DeviceState } from './device-registry.ts'
import { parseQueryName } from './query-names.ts'
import { recordRuns } from './record-runs.ts'
import { takeFirstRound } from './take-snapshots.ts'

/**
 * Takes in a distributed write. Answers to what this device was not asked are ignored. When something in it cannot
 * be recorded although the database is there, the rest is: the agent would send the same again and again.
 */
export async function takeAnswers(
  context: AgentContext,
  device: DeviceState,
  body: unknown,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  await takeFirstRound(context, device, body, isDatabaseUnavailable)
  const runs = runsOf(context, device, body)
  if (runs.length === 0) return
  try {
    await recordRuns(context, device, runs)
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    for (const run of runs) await recordAlone(context, device, run, isDatabaseUnavailable)
  }
}

async function recordAlone(
  context: AgentContext,
  device: DeviceState,
  run: CheckRun,
  isDatabaseUnavailable: (error: unknown) => boolean,
): Promise<void> {
  try {
    await recordRuns(context, device, [run])
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    context.metrics.answers.inc({ outcome: 'failed' })
    const { deviceId, organization } = device
    context.log.error(
      { organizationId: organization.id, deviceId, checkId: run.checkId, err: error },
      'result not recorded',
    )
  }
}

/** What the answers say of checks, each check once: of several answers, which a failed write can leave, the latest. */
function runsOf(context: AgentContext, device: DeviceState, body: unknown): CheckRun[] {
  const nowMs = Date.parse(context.clock())
  const place = { organizationId: device.organization.id, deviceId: device.deviceId }
  const runs = new Map<string, CheckRun>()
  for (const { name, outcome } of readAnswers(body)) {
    if (isInventoryQueryName(name)) continue
    const query = parseQueryName(context.secrets, place, name, nowMs)
    if (!query) {
      context.metrics.answers.inc({ outcome: 'refused' })
      continue
    }
    const { checkId, queryRevision, issuedAtMs } = query
    const ranAt = new Date(issuedAtMs).toISOString()
    if (ranAt > (runs.get(checkId)?.ranAt ?? '')) runs.set(checkId, { checkId, queryRevision, ranAt, outcome })
  }
  return [...runs.values()]
}
