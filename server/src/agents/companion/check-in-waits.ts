import type { DeviceRegistry } from '../protocol/device-registry.ts'

export type CheckInWaits = ReturnType<typeof checkInWaits>

/** More companions than this do not wait at one process: the others come again at their next turn. */
const maxWaits = 5_000

type Wait = { end: () => void }

/** Companions that wait for news of their devices: at most one request of each key. */
export function checkInWaits(registry: DeviceRegistry) {
  const waits = new Map<string, Wait>()
  let isStopped = false

  /**
   * Resolves at the next notice to the device, when `seconds` are over, or when `signal` aborts: the connection is gone.
   * A second wait of the same key ends the first.
   */
  function waitForNews(
    { kid, organizationId, deviceId }: { kid: string; organizationId: string; deviceId: string },
    seconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    waits.get(kid)?.end()
    if (isStopped || signal.aborted || waits.size >= maxWaits) return Promise.resolve()
    return new Promise((resolve) => {
      const wait = { end }
      const timer = setTimeout(end, seconds * 1000)
      const endWatch = registry.watch(organizationId, deviceId, end)
      signal.addEventListener('abort', end)
      waits.set(kid, wait)

      function end(): void {
        clearTimeout(timer)
        endWatch()
        signal.removeEventListener('abort', end)
        if (waits.get(kid) === wait) waits.delete(kid)
        resolve()
      }
    })
  }

  return {
    waitForNews,
    waiting: (): number => waits.size,
    stop(): void {
      isStopped = true
      for (const { end } of [...waits.values()]) end()
    },
  }
}
