import type { Clock } from '../../base/clock.ts'
import { networkOf } from './network-of.ts'

type Bucket = { failures: number; atMs: number }

const maxNetworks = 20_000

export type FailureBudget = ReturnType<typeof failureBudget>

/**
 * Counts what failed by network. A network that has failed `burst` times has spent its budget, which comes back at
 * `perSecond`. Of more than 20,000 networks the ones that failed longest ago are forgotten.
 */
export function failureBudget({ burst, perSecond }: { burst: number; perSecond: number }, clock: Clock) {
  const buckets = new Map<string, Bucket>()

  function failuresOf(network: string, nowMs: number): number {
    const bucket = buckets.get(network)
    if (!bucket) return 0
    return Math.max(0, bucket.failures - (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond)
  }

  return {
    isSpent: (address: string): boolean => failuresOf(networkOf(address), Date.parse(clock())) >= burst,
    spend(address: string): void {
      const network = networkOf(address)
      const nowMs = Date.parse(clock())
      const failures = Math.min(burst, failuresOf(network, nowMs)) + 1
      buckets.delete(network)
      buckets.set(network, { failures, atMs: nowMs })
      const [oldest] = buckets.keys()
      if (buckets.size > maxNetworks && oldest !== undefined) buckets.delete(oldest)
    },
  }
}
