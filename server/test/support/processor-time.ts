/**
 * The processor time in ms that `work` takes on this thread, which other processes on a busy machine do not change. The
 * system counts it in steps of a few milliseconds.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
