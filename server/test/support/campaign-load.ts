import { setTimeout as pause } from 'node:timers/promises'
import type { MusterProcess } from './muster-process.ts'

type Load = {
  key: string
  clients: number
  /** Every so many clients begin live queries, the others read. */
  writerEvery: number
  reads: readonly string[]
  /** Between the first requests of two clients. */
  staggerMs?: number
}

/** Clients that begin live queries and read, one request after another; what was asked for, and what was acknowledged. */
export function campaignLoad(server: MusterProcess, { key, clients, writerEvery, reads, staggerMs = 0 }: Load) {
  const asked = new Set<string>()
  const acknowledged = new Set<string>()
  const write = async () => {
    const name = `Campaign ${asked.size + 1}`
    asked.add(name)
    const body = { name, sql: 'SELECT version FROM osquery_info', target_all_devices: true }
    const { status } = await server.ask('POST', '/live_query_campaigns', { key, body })
    if (status === 200) acknowledged.add(name)
    return status
  }
  const read = async (index: number) => (await server.ask('GET', reads[index % reads.length] ?? '', { key })).status

  function begin() {
    const statuses = new Map<number, number>()
    let oldestMs = 0
    let isOver = false
    const client = async (index: number) => {
      await pause(index * staggerMs)
      while (!isOver) {
        const startedAt = performance.now()
        // A server that has stopped refuses connections.
        const status = await (index % writerEvery === 0 ? write() : read(index)).catch(() => 0)
        oldestMs = Math.max(oldestMs, performance.now() - startedAt)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await pause(status === 200 ? 50 : 500)
      }
    }
    const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
    return {
      async end() {
        isOver = true
        await all
        return { statuses, oldestMs }
      },
    }
  }
  return {
    asked,
    acknowledged,
    begin,
    async during(milliseconds: number) {
      const running = begin()
      await pause(milliseconds)
      return running.end()
    },
  }
}
