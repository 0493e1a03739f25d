import type { CheckRun } from '../../compliance/results/record-results.ts'
import { failedAnswer } from '../../live-queries/keep-answer.ts'
import { isInventoryQueryName } from '../../reporting/schedule-inventory.ts'
import type { AgentContext } from './agent-context.ts'
import { wholeAnswers } from './answer-rules.ts'
import type { DeviceState } from './device-registry.ts'
import { liveQueryOfKey } from './due-rules.ts'
import { planOf } from './load-device.ts'
import { noteAnswered, noteCut } from './read-under-way.ts'
import { type IsUnavailable, recordChecks, recordLive } from './record-answers.ts'
import { firstRounds } from './settle-schedule.ts'
import { takeAnswers } from './take-answers.ts'
import { takeProblems } from './take-problems.ts'

const tooLarge = 'The answer is larger than 16 MB, 200,000 rows or 1,500,000 values.'
const tooLargeMessage = `${tooLarge} Ask for fewer rows or columns.`

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
  const place = { organizationId: organization.id, deviceId }
  context.log.warn(place, 'a distributed write was longer than is taken: its last answers were dropped')
  await takeAnswers(context, device, wholeAnswers(body), isDatabaseUnavailable)
  await takeTooLarge(context, device, isDatabaseUnavailable)
}

/**
 * Nobody waits for what was too long to be read: where one answer alone is missing, that is the one. Of several, which are asked
 * again in halves, nobody knows.
 */
async function takeTooLarge(
  context: AgentContext,
  device: DeviceState,
  isDatabaseUnavailable: IsUnavailable,
): Promise<void> {
  const [[key, askedAtMs] = [], ...others] = device.underWay?.open ?? []
  if (key === undefined || askedAtMs === undefined) return
  if (others.length > 0) return noteCut(device)
  context.metrics.answers.inc({ outcome: 'too_large' })
  const live = liveQueryOfKey(key)
  if (live) {
    const answer = { deviceId: device.deviceId, ...live, ...failedAnswer(tooLargeMessage) }
    await recordLive(context, device, [answer], isDatabaseUnavailable)
  } else if (isInventoryQueryName(key)) {
    await takeProblems(context, device, [{ name: key, message: tooLarge }], isDatabaseUnavailable)
    device.firstAsked?.set(key, firstRounds)
  } else
    await recordChecks(
      context,
      device,
      await failedRun(context, device, { checkId: key, askedAtMs }),
      isDatabaseUnavailable,
    )
  noteAnswered(device, [key])
}

async function failedRun(
  context: AgentContext,
  device: DeviceState,
  { checkId, askedAtMs }: { checkId: string; askedAtMs: number },
): Promise<CheckRun[]> {
  const check = (await planOf(context, device.organization)).get(checkId)
  if (!check) return []
  const ranAt = new Date(askedAtMs).toISOString()
  const outcome = { kind: 'error', message: tooLargeMessage } as const
  return [{ checkId, queryRevision: check.queryRevision, ranAt, outcome }]
}
