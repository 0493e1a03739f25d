import { setTimeout as sleep } from 'node:timers/promises'
import type { LoopbackParts } from './answer-loopback.ts'
import { openLoopback } from './loopback.ts'

export type KeptLoopback = {
  /** Null while no port is ours. */
  readonly port: number | null
  /** The ports that were taken when they were last tried. */
  readonly takenPorts: readonly number[]
  close: () => Promise<void>
}

type Options = {
  /** The length of a second; 1000 but in tests. */
  secondMs: number
  /** Hears of each port that it gets after the first try. */
  onChange: () => void
}

const retrySeconds = 60

/**
 * Listens at the first of the ports that is free, and each minute tries them again while none is its own. Resolves after
 * the first try.
 */
export async function keepLoopback(
  ports: () => readonly number[],
  parts: LoopbackParts,
  { secondMs, onChange }: Options,
): Promise<KeptLoopback> {
  const ending = new AbortController()
  const { signal } = ending
  let takenPorts: readonly number[] = []

  async function tryPorts() {
    const tried = ports()
    const opened = await openLoopback(tried, parts)
    takenPorts = opened?.takenPorts ?? tried
    return opened
  }

  let loopback = await tryPorts()

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      await loopback?.closed
      loopback = undefined
      await sleep(retrySeconds * secondMs, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      loopback = await tryPorts()
      if (signal.aborted) await loopback?.close()
      else if (loopback) onChange()
    }
  }

  const kept = keep()
  return {
    get port() {
      return loopback?.port ?? null
    },
    get takenPorts() {
      return takenPorts
    },
    close: async () => {
      ending.abort()
      await loopback?.close()
      await kept
    },
  }
}
