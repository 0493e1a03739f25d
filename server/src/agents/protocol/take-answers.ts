import { giveTurns } from '../../base/jobs/give-turns.ts'
import type { CheckRun } from '../../compliance/results/record-results.ts'
import { type GivenAnswer, keepAnswer } from '../../live-queries/keep-answer.ts'
import type { LiveAnswer } from '../../live-queries/record-live-answers.ts'
import { isInventoryQueryName } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { liveRowsOf, type QueryAnswer, readAnswers } from './answer-rules.ts'
import type { DeviceState } from './device-registry.ts'
import { liveQueryKey } from './due-rules.ts'
import { parseQueryName } from './query-names.ts'
import { noteAnswered } from './read-under-way.ts'
import { recordChecks, recordLive } from './record-answers.ts'
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
