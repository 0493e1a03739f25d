import type { RequestSource } from '../../base/change-context.ts'
import type { CheckRun } from '../../compliance/results/record-results.ts'
import { type QueryAnswer, readAnswers } from '../protocol/answer-rules.ts'
import { parseQueryName } from '../protocol/query-names.ts'
import type { CompanionContext } from './companion-context.ts'
import { type Fields, fieldsOf } from './signed-request.ts'

type Place = { organizationId: string; deviceId: string }

/**
 * Records what a companion found, at once. Results under a name that was not handed to this device, or that was
 * answered before, are dropped; so is a result that is older than the recorded one.
 */
export async function takeResults(
  context: CompanionContext,
  place: Place,
  results: unknown,
  { cause, requestId }: RequestSource,
): Promise<number> {
  const { agents, db, takenNames } = context
  const runs = new Map<string, CheckRun>()
  const names: string[] = []
  for (const answer of readAnswers(asWrite(results))) {
    const run = takenNames.get(answer.name) ? undefined : runOf(context, place, answer)
    agents.metrics.answers.inc({ outcome: run ? 'recorded' : 'refused' })
    if (!run) continue
    names.push(answer.name)
    if (run.ranAt > (runs.get(run.checkId)?.ranAt ?? '')) runs.set(run.checkId, run)
  }
  if (runs.size === 0) return 0
  const change = { cause, requestId, initiator: 'policy', now: agents.clock() } as const
  const accepted = await agents.recorder.record({ ...place, runs: [...runs.values()], context: change })
  for (const name of names) takenNames.note(name, true)
  agents.runTimes.note(place.organizationId, place.deviceId, accepted)
  // Somebody looks at a page that says when these checks ran.
  await agents.runTimes.flush(db)
  return accepted.length
}

function runOf({ agents }: CompanionContext, place: Place, { name, outcome }: QueryAnswer): CheckRun | undefined {
  const query = parseQueryName(agents.secrets, place, name, Date.parse(agents.clock()))
  if (query?.kind !== 'check') return undefined
  const ranAt = new Date(query.issuedAtMs).toISOString()
  return { checkId: query.id, queryRevision: query.revision, ranAt, outcome: outcome() }
}

/** As osquery's distributed write has it, which is read in one place. */
function asWrite(results: unknown): Fields {
  const queries: Fields = {}
  const statuses: Fields = {}
  const messages: Fields = {}
  for (const result of Array.isArray(results) ? results.slice(0, 100) : []) {
    const { name, rows, error } = fieldsOf(result)
    if (typeof name !== 'string') continue
    queries[name] = Array.isArray(rows) ? rows : []
    statuses[name] = Array.isArray(rows) ? 0 : 1
    if (typeof error === 'string') messages[name] = error
  }
  return { queries, statuses, messages }
}
