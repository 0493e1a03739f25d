import { setTimeout as pause } from 'node:timers/promises'

export type Repetition = { stop(): Promise<void> }

/** Runs `work` again and again with a pause between, one run at a time; a failed run is reported and tried again. */
export function repeat(pauseMs: number, work: () => Promise<unknown>, onError: (error: Error) => void): Repetition {
  const stopping = new AbortController()
  const loop = async () => {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))))
      await pause(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
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
