import { setTimeout as sleep } from 'node:timers/promises'

type Waiting<Found> = {
  find: () => Promise<Found | undefined> | Found | undefined
  /** Said once while it is not there. */
  missing: string
  /** Said once it is. */
  found: string
  log: (line: string) => void
  signal: AbortSignal
  /** 1000 but in tests. */
  secondMs?: number
}

/**
 * Waits for what a service cannot run without, and looks once a minute: one that ended would be started again for ever. Undefined once
 * `signal` aborts.
 */
export async function awaitFound<Found>(waiting: Waiting<Found>): Promise<Found | undefined> {
  const { find, log, signal, secondMs = 1000 } = waiting
  for (let isTold = false; !signal.aborted; isTold = true) {
    const found = await find()
    if (found && isTold) log(waiting.found)
    if (found) return found
    if (!isTold) log(waiting.missing)
    await sleep(60 * secondMs, undefined, { signal }).catch(() => {})
  }
  return undefined
}
