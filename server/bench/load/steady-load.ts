import { type HttpSocket, openSocket } from './open-socket.ts'
import { type Latencies, latenciesOf } from './percentiles.ts'

export type SteadyLoad = {
  /** Ends the section that began at the last call, or at the start, and begins another. */
  section(): Latencies & { failures: number }
  end(): Promise<void>
}

const tickMs = 1

/**
 * So many requests a second whether or not they are answered in time, each measured from the moment at which it was
 * due: a server that stalls is not spared the requests that would have come meanwhile.
 */
export async function startSteadyLoad(
  origin: string,
  settings: { connections: number; perSecond: number; next: () => Buffer },
): Promise<SteadyLoad> {
  const free = await Promise.all(Array.from({ length: settings.connections }, () => openSocket(origin)))
  const all: readonly HttpSocket[] = [...free]
  const due: number[] = []
  let times: number[] = []
  let failures = 0
  let begun = 0
  const startedAt = performance.now()

  function startDue(): void {
    for (let socket = free.pop(); socket; socket = free.pop()) {
      const dueAt = due.shift()
      if (dueAt === undefined) {
        free.push(socket)
        return
      }
      void ask(socket, dueAt)
    }
  }

  async function ask(socket: HttpSocket, dueAt: number): Promise<void> {
    try {
      const { status } = await socket.send(settings.next())
      if (status !== 200) failures += 1
    } catch {
      failures += 1
    }
    times.push(performance.now() - dueAt)
    free.push(socket)
    startDue()
  }

  const timer = setInterval(() => {
    const wanted = ((performance.now() - startedAt) / 1000) * settings.perSecond
    for (; begun < wanted; begun += 1) due.push(startedAt + (begun / settings.perSecond) * 1000)
    startDue()
  }, tickMs)

  return {
    section() {
      const section = { ...latenciesOf(times), failures }
      times = []
      failures = 0
      return section
    },
    async end() {
      clearInterval(timer)
      for (const socket of all) socket.close()
    },
  }
}
