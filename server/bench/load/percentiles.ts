export type Latencies = { count: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number }

/** By nearest rank, of times in milliseconds; all zero when there are none. */
export function latenciesOf(timesMs: readonly number[]): Latencies {
  const sorted = Float64Array.from(timesMs).sort()
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) }
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
