import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

export type LatencySummary = { count: number; p50Ms: number; p95Ms: number; p99Ms: number; maxMs: number }

export type Latencies = {
  record: (elapsedMs: number) => void
  summary: () => LatencySummary
  reset: () => void
}

/** Response times to three significant figures, up to a minute. */
export function createLatencies(): Latencies {
  const histogram: RecordableHistogram = createHistogram({ lowest: 1, highest: 60_000_000, figures: 3 })
  return {
    record: (elapsedMs) => histogram.record(Math.min(60_000_000, Math.max(1, Math.round(elapsedMs * 1000)))),
    summary: () => ({
      count: histogram.count,
      p50Ms: millisecondsOf(histogram, 50),
      p95Ms: millisecondsOf(histogram, 95),
      p99Ms: millisecondsOf(histogram, 99),
      maxMs: histogram.count === 0 ? 0 : histogram.max / 1000,
    }),
    reset: () => histogram.reset(),
  }
}

function millisecondsOf(histogram: RecordableHistogram, percentile: number): number {
  return histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1000
}
