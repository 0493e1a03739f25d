import type { DeviceProfile } from './device-profile.ts'
import { isFailing } from './failure-clock.ts'
import { type Fleet, profileOf } from './fleet.ts'
import { fillTemplate } from './identity-template.ts'
import { hashOfText } from './seeded.ts'

/** One query's share of a distributed write, as JSON fragments. */
export type QueryResult = {
  nameJson: string
  rowsJson: string
  status: 0 | 1
  messageJson: string
  costMs: number
}

const state = { unknown: 0, passing: 1, failing: 2 } as const

/** Answers what a distributed read brought; names are opaque and come back as they were. */
export function answerQueries(fleet: Fleet, device: number, queries: Record<string, unknown>): QueryResult[] {
  const profile = profileOf(fleet, device)
  const results: QueryResult[] = []
  for (const [name, sql] of Object.entries(queries)) {
    // osquery stops at the first query that is empty or not a string, and so loses the rest.
    if (name === '' || typeof sql !== 'string' || sql === '') break
    results.push(answerQuery(fleet, profile, name, sql))
  }
  fleet.counters.queriesAnswered += results.length
  return results
}

/** The body of a distributed write: each result has its place in four objects. */
export function writeBody(nodeKey: string, results: QueryResult[]): string {
  const queries: string[] = []
  const statuses: string[] = []
  const messages: string[] = []
  const stats: string[] = []
  for (const { nameJson, rowsJson, status, messageJson, costMs } of results) {
    queries.push(`${nameJson}:${rowsJson}`)
    statuses.push(`${nameJson}:${status}`)
    messages.push(`${nameJson}:${messageJson}`)
    stats.push(`${nameJson}:{"wall_time_ms":${costMs},"user_time":${costMs},"system_time":1,"memory":40960}`)
  }
  return `{"node_key":${JSON.stringify(nodeKey)},"queries":{${queries}},"statuses":{${statuses}},"messages":{${messages}},"stats":{${stats}}}`
}

function answerQuery(fleet: Fleet, profile: DeviceProfile, name: string, sql: string): QueryResult {
  const answer = fleet.answers.answerTo(sql, profile)
  const shared = { nameJson: JSON.stringify(name), costMs: 1 + (hashOfText(name) % 30) }
  if (answer.kind === 'fixed') {
    const status = answer.messageJson === '""' ? 0 : 1
    return { ...shared, rowsJson: fillTemplate(answer.rows, profile), status, messageJson: answer.messageJson }
  }
  const hasFailed = isFailing(fleet.settings.failures, profile.index, answer.subject, fleet.now())
  noteState(fleet, profile.index, answer.subject, hasFailed ? state.failing : state.passing)
  fleet.counters.checksAnswered += 1
  const rowsJson = fillTemplate(hasFailed ? answer.failRows : answer.passRows, profile)
  return { ...shared, rowsJson, status: 0, messageJson: '""' }
}

function noteState(fleet: Fleet, device: number, subject: number, latest: 1 | 2) {
  const { counters } = fleet
  let states = fleet.checkStates.get(subject)
  if (!states) {
    states = new Uint8Array(fleet.settings.devices)
    fleet.checkStates.set(subject, states)
  }
  const before = states[device] ?? state.unknown
  if (before === latest) return
  states[device] = latest
  if (before === state.unknown) counters.checksKnown += 1
  else counters.flips += 1
  if (latest === state.failing) counters.checksFailing += 1
  else if (before === state.failing) counters.checksFailing -= 1
}
