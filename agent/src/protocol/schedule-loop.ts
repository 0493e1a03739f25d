import type { QueryCost } from '../sql/open-engine.ts'
import type { ScheduleFact } from '../tables/table.ts'
import type { AgentState } from './agent-state.ts'
import { pause } from './pauses.ts'
import type { ScheduledQuery } from './read-config.ts'
import { differentialLines, type Previous, snapshotLine, statusLine } from './result-lines.ts'

type Entry = { query: string; dueAt: number; previous?: Previous | undefined }

/** How often the schedule is looked at, in seconds. */
const tickSeconds = 1
const splay = 0.1

/**
 * Runs scheduled queries and puts their lines into the log buffer: each once when it first appears, then at its
 * interval, spread by a tenth so that agents started together drift apart.
 */
export async function scheduleLoop(state: AgentState): Promise<void> {
  const entries = new Map<string, Entry>()
  while (!state.signal.aborted) {
    for (const name of entries.keys()) {
      if (!state.config.schedule.has(name)) {
        entries.delete(name)
        state.scheduleFacts.delete(name)
      }
    }
    for (const [name, scheduled] of state.config.schedule) {
      if (state.signal.aborted) return
      const entry = entryFor(entries, name, scheduled)
      if (performance.now() < entry.dueAt) continue
      await runScheduled(state, name, scheduled, entry)
      const spread = 1 - splay + 2 * splay * Math.random()
      entry.dueAt = performance.now() + scheduled.intervalSeconds * state.secondMs * spread
    }
    await pause(tickSeconds * state.secondMs, state.signal)
  }
}

/** A query whose text changed starts again, with its full set. */
function entryFor(entries: Map<string, Entry>, name: string, scheduled: ScheduledQuery): Entry {
  const known = entries.get(name)
  if (known?.query === scheduled.query) return known
  const fresh: Entry = { query: scheduled.query, dueAt: 0 }
  entries.set(name, fresh)
  return fresh
}

async function runScheduled(state: AgentState, name: string, scheduled: ScheduledQuery, entry: Entry): Promise<void> {
  const answer = await state.runner.run(scheduled.query, state.facts)
  const head = { hostIdentifier: state.hostIdentifier, now: new Date() }
  let lines: string[] = []
  if (!answer.ok) {
    // As osquery: a failing query leaves no result, only a status line.
    state.logs.add('status', statusLine(head, `Error executing scheduled query ${name}: ${answer.message}`))
  } else if (scheduled.snapshot) lines = [snapshotLine(head, name, answer.rows)]
  else {
    const change = differentialLines(head, name, answer.rows, entry.previous)
    entry.previous = change.next
    lines = change.lines
  }
  const maxLine = Number(state.config.options['logger_tls_max_linesize'] ?? 1024 * 1024)
  for (const line of lines) {
    if (Buffer.byteLength(line) <= maxLine) state.logs.add('result', line)
    else state.logs.add('status', statusLine(head, `Line of ${name} exceeds TLS logger max: ${line.length}`))
  }
  const outputBytes = lines.reduce((sum, line) => sum + line.length, 0)
  noteRun(state, name, scheduled, answer.cost, outputBytes, head.now)
}

function noteRun(
  state: AgentState,
  name: string,
  scheduled: ScheduledQuery,
  cost: QueryCost,
  outputBytes: number,
  now: Date,
): void {
  const known = state.scheduleFacts.get(name)
  const fact: ScheduleFact = {
    name,
    query: scheduled.query,
    intervalSeconds: scheduled.intervalSeconds,
    executions: (known?.executions ?? 0) + 1,
    lastExecutedUnix: Math.floor(now.getTime() / 1000),
    wallTimeMs: (known?.wallTimeMs ?? 0) + cost.wallTimeMs,
    lastWallTimeMs: cost.wallTimeMs,
    outputBytes: (known?.outputBytes ?? 0) + outputBytes,
    userMs: (known?.userMs ?? 0) + cost.userMs,
    lastUserMs: cost.userMs,
    systemMs: (known?.systemMs ?? 0) + cost.systemMs,
    lastSystemMs: cost.systemMs,
    memoryBytes: (known?.memoryBytes ?? 0) + cost.memoryBytes,
    lastMemoryBytes: cost.memoryBytes,
  }
  state.scheduleFacts.set(name, fact)
  state.facts.schedule = [...state.scheduleFacts.values()]
}
