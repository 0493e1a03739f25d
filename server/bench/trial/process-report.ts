/** What a process under test tells the bench, and is told by it, over its IPC channel. */
export type ToChild = 'usage' | 'stop'
export type FromChild = { kind: 'ready'; origin: string } | ({ kind: 'usage' } & Usage)
export type Usage = { processorMs: number; residentMegabytes: number }

/** In the process under test: reports the address and, whenever asked, what the process has used. */
export function reportToBench(origin: string, stop: () => Promise<void>): void {
  const send = (message: FromChild) => process.send?.(message)
  process.on('message', (message: ToChild) => {
    if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      const residentMegabytes = process.memoryUsage.rss() / 2 ** 20
      send({ kind: 'usage', processorMs: (user + system) / 1000, residentMegabytes })
    } else void stop().finally(() => process.exit(0))
  })
  // The bench is gone: nobody would end this process.
  process.on('disconnect', () => process.exit(1))
  send({ kind: 'ready', origin })
}
