import { ratioText } from '../figure.ts'
import type { Subject } from '../trial/start-process.ts'
import { medianOf } from './percentiles.ts'
import { type LoadResult, runLoad } from './run-load.ts'

export type Rate = { perSecond: number; processorMsPerRequest: number; p50Ms: number; p99Ms: number }
export type Comparison = { ours: Rate; bare: Rate; ratio: number; processorRatio: number }

type Side = { subject: Subject; next: () => Buffer }
type Settings = { connections: number; rounds: number; roundMs: number }

/**
 * Loads the server and its bare counterpart in turns, so that whatever else the machine does meets both alike, and
 * takes the median of the rounds. Any failed request fails the comparison.
 */
export async function compareRates(ours: Side, bare: Side, settings: Settings): Promise<Comparison> {
  const warmUp = { ...settings, roundMs: Math.min(2_000, settings.roundMs) }
  await loadOnce(ours, warmUp)
  await loadOnce(bare, warmUp)
  const rounds: { ours: Rate; bare: Rate }[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    rounds.push({ ours: await loadOnce(ours, settings), bare: await loadOnce(bare, settings) })
  }
  const median = (pick: (round: { ours: Rate; bare: Rate }) => number) => medianOf(rounds.map(pick))
  return {
    ours: medianRate(rounds.map((round) => round.ours)),
    bare: medianRate(rounds.map((round) => round.bare)),
    ratio: median((round) => round.ours.perSecond / round.bare.perSecond),
    processorRatio: median((round) => round.bare.processorMsPerRequest / round.ours.processorMsPerRequest),
  }
}

async function loadOnce({ subject, next }: Side, { connections, roundMs }: Settings): Promise<Rate> {
  const before = await subject.usage()
  const result: LoadResult = await runLoad({ origin: subject.origin, connections, next, durationMs: roundMs })
  const after = await subject.usage()
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed`)
  return {
    perSecond: result.perSecond,
    processorMsPerRequest: (after.processorMs - before.processorMs) / Math.max(1, result.requests),
    p50Ms: result.latencies.p50Ms,
    p99Ms: result.latencies.p99Ms,
  }
}

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: medianOf(rates.map((rate) => rate.perSecond)),
  processorMsPerRequest: medianOf(rates.map((rate) => rate.processorMsPerRequest)),
  p50Ms: medianOf(rates.map((rate) => rate.p50Ms)),
  p99Ms: medianOf(rates.map((rate) => rate.p99Ms)),
})

export const rateNotes = ({ ours, bare, processorRatio }: Comparison): string[] => [
  `processor time of the server process a request: ours ${(ours.processorMsPerRequest * 1000).toFixed(0)} µs, bare ${(bare.processorMsPerRequest * 1000).toFixed(0)} µs, ratio ${ratioText(processorRatio)}`,
  `p50/p99: ours ${ours.p50Ms.toFixed(1)}/${ours.p99Ms.toFixed(1)} ms, bare ${bare.p50Ms.toFixed(1)}/${bare.p99Ms.toFixed(1)} ms`,
]
