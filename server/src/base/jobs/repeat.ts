import { setTimeout as pause } from 'node:timers/promises'

export type Repetition = { stop(): Promise<void> }

/**
 * Runs `work` again and again with a pause between, one run at a time; a failed run is reported and tried again.
 * The first run is at once, or after a pause where `isFirstLater`.
 */
export function repeat(
  pauseMs: number,
  work: () => Promise<unknown>,
  onError: (error: Error) => void,
  { isFirstLater = false } = {},
): Repetition {
  const stopping = new AbortController()
  const rest = () => pause(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  const loop = async () => {
    if (isFirstLater) await rest()
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))))
      await rest()
    }
  }
  const done = loop()
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}
