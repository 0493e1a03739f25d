import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The longest turn of the event loop while `work` is done, in ms of processor time of this thread: how long everyone else
 * has waited at most, on a machine that does nothing else.
 */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let isDone = false
  const done = work().finally(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const before = process.threadCpuUsage()
    await nextTurn()
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
  }
  await done
  return longest
}

const rows = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ [`one${at}`]: 'v', [`other${at}`]: 'v' })))

/**
 * What no turn may take, in the same ms: four times the reading of a text of half a megabyte, on this machine and now. The best of
 * some readings, since the collector of garbage is at work in the others.
 */
function turnLimitMs(): number {
  const readings = Array.from({ length: 8 }, () => {
    const before = process.threadCpuUsage()
    JSON.parse(rows)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return 4 * Math.min(...readings)
}

const maxRuns = 3

/** Fails if everyone else waits too long in each of a few runs of the work: in one the collector of garbage may be at work. */
export async function assertTurns(what: string, work: () => Promise<unknown>): Promise<void> {
  const runs: string[] = []
  while (runs.length < maxRuns) {
    const [held, limit] = [await longestTurnMs(work), turnLimitMs()]
    if (held < limit) return
    runs.push(`${held.toFixed(1)} of ${limit.toFixed(1)} ms`)
  }
  assert.fail(`${what}: others waited for ${runs.join(', ')} at once`)
}
