import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, or returns early when the agent is told to stop. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined)
}

/** osquery's back-off: attempt × attempt seconds, never more than `capSeconds`. `unitMs` is the length of a second. */
export function backOffMs(attempt: number, capSeconds: number, unitMs: number): number {
  return Math.min(attempt * attempt, capSeconds) * unitMs
}

/** Tries `work` up to `attempts` times with that back-off between; rejects with the last failure. */
export async function withAttempts<T>(
  attempts: number,
  unitMs: number,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || signal.aborted) throw error
      await pause(backOffMs(attempt, 600, unitMs), signal)
    }
  }
}
