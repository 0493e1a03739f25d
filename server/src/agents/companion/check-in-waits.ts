import { waitUntilTold } from '../../base/wait-until-told.ts'
import type { DeviceRegistry } from '../protocol/device-registry.ts'

export type CheckInWaits = ReturnType<typeof checkInWaits>

/** More companions than this do not wait at one process: the others come again at their next turn. */
const maxWaits = 5_000

/** Companions that wait for news of their devices: at most one request of each key. */
export function checkInWaits(registry: DeviceRegistry) {
  const waits = new Map<string, AbortController>()
  let isStopped = false

  /**
   * Resolves at the next notice to the device, when `seconds` are over, or when `signal` aborts: the connection is gone.
   * A second wait of the same key ends the first.
   */
  async function waitForNews(
    { kid, organizationId, deviceId }: { kid: string; organizationId: string; deviceId: string },
    seconds: number,
    signal: AbortSignal,
  ): Promise<void> {
    waits.get(kid)?.abort()
    if (isStopped || waits.size >= maxWaits) return
    const wait = new AbortController()
    waits.set(kid, wait)
    await waitUntilTold({ seconds, signal: AbortSignal.any([signal, wait.signal]) }, (tell) =>
      registry.watch(organizationId, deviceId, tell),
    )
    if (waits.get(kid) === wait) waits.delete(kid)
  }

  return {
    waitForNews,
    stop(): void {
      isStopped = true
      for (const wait of waits.values()) wait.abort()
    },
  }
}
