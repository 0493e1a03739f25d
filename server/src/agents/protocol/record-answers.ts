import { TooManyRecordings } from '../../compliance/results/record-in-batches.ts'
import type { CheckRun } from '../../compliance/results/record-results.ts'
import type { LiveAnswer } from '../../live-queries/record-live-answers.ts'
import type { AgentContext } from './agent-context.ts'
import type { DeviceState } from './device-registry.ts'
import { liveQueryKey } from './due-rules.ts'
import { recordRuns } from './record-runs.ts'

export type IsUnavailable = (error: unknown) => boolean

/** Records what checks answered. When one cannot be recorded although the database is there, the others are. */
export async function recordChecks(
  context: AgentContext,
  device: DeviceState,
  runs: readonly CheckRun[],
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  const isToBeSentAgain = (error: unknown) => error instanceof TooManyRecordings || isDatabaseUnavailable(error)
  for (const together of inPortions(runs)) {
    try {
      await recordRuns(context, device, together)
    } catch (error) {
      if (isToBeSentAgain(error)) throw error
      for (const run of together) await recordAlone(context, device, run, isToBeSentAgain)
    }
  }
}

/** The rows that are recorded in one turn of the event loop, unless a check alone has more. */
const rowsTogether = 1_000

function inPortions(runs: readonly CheckRun[]): CheckRun[][] {
  const portions: CheckRun[][] = []
  let rows = 0
  for (const run of runs) {
    const own = run.outcome.kind === 'rows' ? run.outcome.rows.length : 0
    const last = portions.at(-1)
    if (last && rows + own <= rowsTogether) last.push(run)
    else {
      portions.push([run])
      rows = 0
    }
    rows += own
  }
  return portions
}

/** Records what live queries answered. */
export async function recordLive(
  context: AgentContext,
  device: DeviceState,
  answers: readonly LiveAnswer[],
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  if (answers.length === 0) return
  const place = { organizationId: device.organization.id, deviceId: device.deviceId }
  try {
    const stored = await context.recordLiveAnswers(place, answers)
    context.metrics.answers.inc({ outcome: 'recorded' }, stored)
    context.metrics.answers.inc({ outcome: 'refused' }, answers.length - stored)
    for (const answer of answers) device.unanswered?.delete(liveQueryKey(answer))
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error
    context.metrics.answers.inc({ outcome: 'failed' }, answers.length)
    context.log.error({ ...place, err: error }, 'answers to live queries not recorded')
  }
}

async function recordAlone(
  context: AgentContext,
  device: DeviceState,
  run: CheckRun,
  isToBeSentAgain: (error: unknown) => boolean,
): Promise<void> {
  try {
    await recordRuns(context, device, [run])
  } catch (error) {
    if (isToBeSentAgain(error)) throw error
    context.metrics.answers.inc({ outcome: 'failed' })
    const { deviceId, organization } = device
    context.log.error(
      { organizationId: organization.id, deviceId, checkId: run.checkId, err: error },
      'result not recorded',
    )
  }
}
