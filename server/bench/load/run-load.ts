import { type HttpSocket, openSocket } from './open-socket.ts'
import { type Latencies, latenciesOf } from './percentiles.ts'

export type LoadResult = {
  requests: number
  /** Answers with another status than 200, and requests without an answer. */
  failures: number
  perSecond: number
  seconds: number
  latencies: Latencies
}

type Load = {
  origin: string
  connections: number
  /** The next request; undefined when there are no more. */
  next: () => Buffer | undefined
  durationMs?: number
}

/** Keeps so many requests under way, as fast as they are answered, until the time or the requests are used up. */
export async function runLoad({ origin, connections, next, durationMs = Infinity }: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(origin)))
  const timesMs: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs

  async function keepAsking(socket: HttpSocket): Promise<void> {
    for (let sentAt = performance.now(); sentAt < endsAt; ) {
      const request = next()
      if (!request) return
      const { status } = await socket.send(request)
      const now = performance.now()
      timesMs.push(now - sentAt)
      if (status !== 200) failures += 1
      sentAt = now
    }
  }

  try {
    await Promise.all(sockets.map(keepAsking))
  } finally {
    for (const socket of sockets) socket.close()
  }
  const seconds = (performance.now() - startedAt) / 1000
  return {
    requests: timesMs.length,
    failures,
    perSecond: timesMs.length / seconds,
    seconds,
    latencies: latenciesOf(timesMs),
  }
}
