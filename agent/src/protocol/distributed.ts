import type { QueryAnswer } from '../sql/open-engine.ts'

/** The questions of one distributed read, and for how long to poll fast. */
export type DistributedWork = {
  queries: [name: string, sql: string][]
  discovery: Map<string, string>
  accelerateSeconds: number
}

/** Answers that wait for a write; they stay until one succeeds. */
export type PendingAnswers = Map<string, QueryAnswer>

export const readPath = '/api/v1/osquery/distributed/read'
export const writePath = '/api/v1/osquery/distributed/write'

/** Reads the answer of distributed/read. `accelerate` counts only as an integer, as in osquery. */
export function readDistributedWork(body: Record<string, unknown>): DistributedWork {
  const accelerate = body['accelerate']
  return {
    queries: textEntries(body['queries']),
    discovery: new Map(textEntries(body['discovery'])),
    accelerateSeconds: typeof accelerate === 'number' && Number.isInteger(accelerate) ? Math.max(0, accelerate) : 0,
  }
}

function textEntries(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).filter(
    (entry): entry is [string, string] => entry[0] !== '' && typeof entry[1] === 'string' && entry[1].trim() !== '',
  )
}

/**
 * Runs the queries in turn. One whose discovery query answers no row is left out; a discovery query that fails
 * discards the whole read, as in osquery.
 */
export async function runDistributed(
  work: DistributedWork,
  run: (sql: string) => Promise<QueryAnswer>,
  log: (line: string) => void,
): Promise<PendingAnswers> {
  const answers: PendingAnswers = new Map()
  const wanted: [string, string][] = []
  for (const [name, sql] of work.queries) {
    const discovery = work.discovery.get(name)
    const found = discovery === undefined ? undefined : await run(discovery)
    if (found && !found.ok) {
      log(`discovery query of ${name} failed, the read is discarded: ${found.message}`)
      return answers
    }
    if (!found || found.rows.length > 0) wanted.push([name, sql])
  }
  for (const [name, sql] of wanted) answers.set(name, await run(sql))
  return answers
}

/** The body of distributed/write, without the node key. */
export function writeBody(answers: PendingAnswers): Record<string, unknown> {
  const entries = [...answers]
  return {
    queries: Object.fromEntries(entries.map(([name, answer]) => [name, answer.ok ? answer.rows : []])),
    statuses: Object.fromEntries(entries.map(([name, answer]) => [name, answer.ok ? 0 : 1])),
    messages: Object.fromEntries(entries.map(([name, answer]) => [name, answer.ok ? '' : answer.message])),
    stats: Object.fromEntries(
      entries.map(([name, { cost }]) => [
        name,
        {
          wall_time_ms: cost.wallTimeMs,
          user_time: cost.userMs,
          system_time: cost.systemMs,
          memory: cost.memoryBytes,
        },
      ]),
    ),
  }
}
