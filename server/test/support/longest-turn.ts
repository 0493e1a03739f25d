import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The longest turn of the event loop while `work` is done, in ms of processor time of this thread: how long everyone else
 * has waited at most, on a machine that does nothing else.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
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
