import type { Clock } from '../clock.ts'

export type Remembered = ReturnType<typeof rememberFor>

/** Remembers at most `maxSize` texts, each for `lifeMs` after it was last noted; the oldest goes first. */
export function rememberFor({ lifeMs, maxSize }: { lifeMs: number; maxSize: number }, clock: Clock) {
  const notedAt = new Map<string, number>()
  return {
    has(text: string): boolean {
      const atMs = notedAt.get(text)
      return atMs !== undefined && Date.parse(clock()) - atMs < lifeMs
    },
    note(text: string): void {
      const nowMs = Date.parse(clock())
      const atMs = notedAt.get(text)
      // Writing it anew at every request would cost more than knowing it to the second is worth.
      if (atMs !== undefined && nowMs - atMs < lifeMs / 4) return
      notedAt.delete(text)
      notedAt.set(text, nowMs)
      const [oldest] = notedAt.keys()
      if (notedAt.size > maxSize && oldest !== undefined) notedAt.delete(oldest)
    },
  }
}
