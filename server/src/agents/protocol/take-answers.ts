import { giveTurns } from '../../base/jobs/give-turns.ts'
import { TooManyRecordings } from '../../compliance/results/record-in-batches.ts'
import type { CheckRun } from '../../compliance/results/record-results.ts'
import { failedAnswer, type GivenAnswer, keepAnswer } from '../../live-queries/keep-answer.ts'
import type { LiveAnswer } from '../../live-queries/record-live-answers.ts'
import { isInventoryQueryName } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { liveRowsOf, type QueryAnswer, readAnswers, wholeAnswers } from './answer-rules.ts'
import type { DeviceState } from './device-registry.ts'
import { liveQueryKey, liveQueryOfKey } from './due-rules.ts'
import { parseQueryName } from './query-names.ts'
import { noteAnswered } from './read-under-way.ts'
import { recordRuns } from './record-runs.ts'
import { type LinkAnswer, takeLinkFiles } from './take-link-files.ts'
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
  const { runs, liveAnswers, link } = await sortAnswers(context, device, body)
  if (link) await takeLinkFiles(context, device, link)
  if (device.isUnconfirmed) return
  await takeFirstRound(context, device, body, isDatabaseUnavailable)
  await recordChecks(context, device, runs, isDatabaseUnavailable)
  await recordLive(context, device, liveAnswers, isDatabaseUnavailable)
}

/**
 * Takes in how a distributed write begins that was too large. It is never refused: the agent would send it again with every
 * later one, and so report nothing anymore.
 */
export async function takeCutAnswers(
  context: AgentContext,
  device: DeviceState,
  body: unknown,
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  const { deviceId, organization } = device
  context.log.warn({ organizationId: organization.id, deviceId }, 'distributed write too large, dropped')
  await takeAnswers(context, device, wholeAnswers(body), isDatabaseUnavailable)
  await takeTooLarge(context, device, isDatabaseUnavailable)
}

/** Nobody waits for what was too long to be read: the live queries that the device was asked have failed on it. */
async function takeTooLarge(
  context: AgentContext,
  device: DeviceState,
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  const answers = [...(device.unanswered?.keys() ?? [])].flatMap((key) => {
    const query = liveQueryOfKey(key)
    return query ? [{ deviceId: device.deviceId, ...query, ...failedAnswer(tooLargeMessage) }] : []
  })
  await recordLive(context, device, answers, isDatabaseUnavailable)
}

const tooLargeMessage =
  'The answer is larger than 16 MB, 200,000 rows or 1,500,000 values. Ask for fewer rows or columns.'

type IsUnavailable = (error: unknown) => boolean

async function recordChecks(
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

async function recordLive(
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

type Sorted = { runs: CheckRun[]; liveAnswers: LiveAnswer[]; link: LinkAnswer | undefined }

/** What the answers say, each check once: of several answers, which a failed write can leave, the latest. */
async function sortAnswers(context: AgentContext, device: DeviceState, body: unknown): Promise<Sorted> {
  const { deviceId } = device
  const place = { organizationId: device.organization.id, deviceId }
  const nowMs = Date.parse(context.clock())
  const runs = new Map<string, CheckRun>()
  const liveAnswers = new Map<string, LiveAnswer>()
  const giveTurn = giveTurns()
  const answered: string[] = []
  let link: LinkAnswer | undefined
  for (const answer of readAnswers(body)) {
    await giveTurn()
    if (isInventoryQueryName(answer.name)) {
      answered.push(answer.name)
      continue
    }
    const query = parseQueryName(context.secrets, place, answer.name, nowMs, device.names?.delete(answer.name))
    if (!query) {
      context.metrics.answers.inc({ outcome: 'refused' })
      continue
    }
    const { kind, id, revision, issuedAtMs } = query
    if (kind === 'link') {
      const outcome = answer.outcome()
      if (outcome.kind === 'rows') link = { rows: outcome.rows, askedAtMs: issuedAtMs }
      continue
    }
    if (kind === 'campaign') {
      const live = {
        deviceId,
        campaignId: id,
        revision: Number(revision),
        ...(await keepAnswer(givenAnswer(answer, body))),
      }
      liveAnswers.set(liveQueryKey(live), live)
      answered.push(liveQueryKey(live))
      continue
    }
    answered.push(id)
    const ranAt = new Date(issuedAtMs).toISOString()
    const run = { checkId: id, queryRevision: revision, ranAt, outcome: answer.outcome() }
    if (ranAt > (runs.get(id)?.ranAt ?? '')) runs.set(id, run)
  }
  if (device.names?.size === 0) device.names = undefined
  noteAnswered(device, answered)
  return { runs: [...runs.values()], liveAnswers: [...liveAnswers.values()], link }
}

function givenAnswer({ name, outcome: read }: QueryAnswer, body: unknown): GivenAnswer {
  const outcome = read()
  return outcome.kind === 'rows'
    ? { kind: 'rows', ...liveRowsOf(body, name) }
    : { kind: 'error', message: outcome.message }
}
