import type { Clock } from './clock.ts'

type Bucket = { spent: number; atMs: number }

/**
 * Counts what was spent by key. A key that has spent `burst` has none left; it comes back at `perSecond`. Of more than
 * `maxKeys` the ones that spent longest ago are forgotten.
 */
export function spendingBudget(
  { burst, perSecond, maxKeys = 20_000 }: { burst: number; perSecond: number; maxKeys?: number },
  clock: Clock,
) {
  const buckets = new Map<string, Bucket>()

  function spentBy(key: string, nowMs: number): number {
    const bucket = buckets.get(key)
    if (!bucket) return 0
    return Math.max(0, bucket.spent - (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond)
  }

  return {
    isSpent: (key: string): boolean => spentBy(key, Date.parse(clock())) >= burst,
    spend(key: string): void {
      const nowMs = Date.parse(clock())
      const spent = Math.min(burst, spentBy(key, nowMs)) + 1
      buckets.delete(key)
      buckets.set(key, { spent, atMs: nowMs })
      const [oldest] = buckets.keys()
      if (buckets.size > maxKeys && oldest !== undefined) buckets.delete(oldest)
    },
    /** What was spent last was for nothing. */
    giveBack(key: string): void {
      const bucket = buckets.get(key)
      if (bucket) bucket.spent -= 1
    },
  }
}
