/** What one read of a socket brings at most. */
const chunkBytes = 64 * 1024

type Party = { spentBytes: number; waiting: (() => void)[] }

export type ReadRate = ReturnType<typeof readRate>

type Settings = { bytesPerSecond: number; burstBytes: number; tickMs: number }

/**
 * How fast the bodies of one party are read, all of them together. What is not read stays with its sender, so that
 * bodies which nobody has asked for cost neither the memory nor the time that agents need.
 */
export function readRate({ bytesPerSecond, burstBytes, tickMs }: Settings, now = () => performance.now()) {
  const parties = new Map<string, Party>()
  let timer: NodeJS.Timeout | undefined
  let passedAtMs = 0

  function pass(): void {
    const nowMs = now()
    const restored = ((nowMs - passedAtMs) / 1000) * bytesPerSecond
    passedAtMs = nowMs
    for (const [name, party] of parties) {
      party.spentBytes = Math.max(0, party.spentBytes - restored)
      if (party.spentBytes < burstBytes) {
        // In the order in which they began to wait, as many as there is room for: each reads one chunk and comes back.
        const turns = Math.ceil((burstBytes - party.spentBytes) / chunkBytes)
        for (const resume of party.waiting.splice(0, turns)) resume()
      }
      if (party.spentBytes === 0 && party.waiting.length === 0) parties.delete(name)
    }
    if (parties.size === 0) stop()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    /** Counts what was read. Whether there is more to read now; if not, `resume` is called once there is. */
    spend(name: string, bytes: number, resume: () => void): boolean {
      const party = parties.get(name) ?? { spentBytes: 0, waiting: [] }
      parties.set(name, party)
      party.spentBytes += bytes
      if (!timer) {
        passedAtMs = now()
        timer = setInterval(pass, tickMs).unref()
      }
      if (party.spentBytes <= burstBytes) return true
      party.waiting.push(resume)
      return false
    },
    /** @forTests */
    parties: () => parties.size,
    stop,
  }
}
