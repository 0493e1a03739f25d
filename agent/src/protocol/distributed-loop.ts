import { type AgentState, messageOf } from './agent-state.ts'
import {
  type PendingAnswers,
  readDistributedWork,
  readPath,
  runDistributed,
  writeBody,
  writePath,
} from './distributed.ts'
import { pause, withAttempts } from './pauses.ts'
import { optionMs } from './read-config.ts'

const attempts = 3
/** While accelerated, as osquery. */
const acceleratedSeconds = 5
/** Answers kept for a server that takes none; the oldest go first. */
const maxPending = 200

/**
 * One read, its queries and one write. Answers that could not be written stay in `pending` and go with the next
 * write. Resolves to the seconds of fast polling that the server asks for.
 */
export async function pollDistributed(state: AgentState, pending: PendingAnswers): Promise<number> {
  const call = (path: string, body: string) =>
    withAttempts(attempts, state.secondMs, state.signal, () => state.session.call(path, body))
  const work = readDistributedWork(await call(readPath, '{}'))
  const answers = await runDistributed(work, (sql) => state.runner.run(sql, state.facts), state.log)
  for (const [name, answer] of answers) {
    pending.delete(name)
    pending.set(name, answer)
    if (!answer.ok) state.log(`${name.split('/', 2).join(' ')}: ${answer.message}`)
  }
  for (const name of pending.keys()) {
    if (pending.size <= maxPending) break
    pending.delete(name)
  }
  if (pending.size > 0) {
    const written = [...pending]
    await call(writePath, JSON.stringify(writeBody(pending)))
    for (const [name] of written) pending.delete(name)
    state.log(`answered ${written.length} ${written.length === 1 ? 'query' : 'queries'}`)
  }
  return work.accelerateSeconds
}

/** Polls for ever; `firstAccelerateSeconds` is what the first poll, already made, was told. */
export async function distributedLoop(
  state: AgentState,
  pending: PendingAnswers,
  firstAccelerateSeconds: number,
): Promise<void> {
  let fastUntil = performance.now() + firstAccelerateSeconds * state.secondMs
  while (!state.signal.aborted) {
    const { options } = state.config
    const usualMs = state.intervals.distributedMs ?? optionMs(options, 'distributed_interval', 60, state.secondMs)
    const fast = performance.now() < fastUntil
    await pause(fast ? Math.min(acceleratedSeconds * state.secondMs, usualMs) : usualMs, state.signal)
    if (state.signal.aborted) return
    if (options['disable_distributed'] === 'true') continue
    try {
      const accelerateSeconds = await pollDistributed(state, pending)
      if (accelerateSeconds > 0) fastUntil = performance.now() + accelerateSeconds * state.secondMs
    } catch (error) {
      if (!state.signal.aborted) state.log(`distributed: ${messageOf(error)}`)
    }
  }
}
