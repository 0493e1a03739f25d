import { type Clock, nowMsBy } from '../../base/clock.ts'

export type Remembered<Value> = ReturnType<typeof rememberFor<Value>>

/** Remembers values by at most `maxSize` texts, each for `lifeMs` after it was last noted; the oldest goes first. */
export function rememberFor<Value>({ lifeMs, maxSize }: { lifeMs: number; maxSize: number }, clock: Clock) {
  const nowMs = nowMsBy(clock)
  const noted = new Map<string, { atMs: number; value: Value }>()
  return {
    get(text: string): Value | undefined {
      const found = noted.get(text)
      return found !== undefined && nowMs() - found.atMs < lifeMs ? found.value : undefined
    },
    note(text: string, value: Value): void {
      const atMs = nowMs()
      const before = noted.get(text)
      // Writing it again at every request would cost more than knowing it to the second is worth.
      if (before !== undefined && atMs - before.atMs < lifeMs / 4) return
      noted.delete(text)
      noted.set(text, { atMs, value })
      const [oldest] = noted.keys()
      if (noted.size > maxSize && oldest !== undefined) noted.delete(oldest)
    },
  }
}
