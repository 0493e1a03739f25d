import { count, ratioText } from '../figure.ts'
import type { Subject } from '../trial/start-process.ts'
import { medianOf } from './percentiles.ts'
import { type LoadResult, runLoad } from './run-load.ts'

export type Rate = {
  perSecond: number
  /** Of the process that answers. */
  processorMsPerRequest: number
  /** Of the database's sessions; undefined where that cannot be seen. */
  databaseMsPerRequest: number | undefined
  p50Ms: number
  p99Ms: number
}
export type Comparison = {
  ours: Rate
  bare: Rate
  /** By processor time, the database's included: other work on the machine does not lengthen it. */
  ratio: number
  clockRatio: number
}

type Side = { subject: Subject; next: () => Buffer }
type Settings = {
  connections: number
  rounds: number
  roundMs: number
  databaseMs?: (() => Promise<number>) | undefined
}

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
    ratio: median((round) => costMs(round.bare) / costMs(round.ours)),
    clockRatio: median((round) => round.ours.perSecond / round.bare.perSecond),
  }
}

async function loadOnce({ subject, next }: Side, { connections, roundMs, databaseMs }: Settings): Promise<Rate> {
  const [before, databaseBefore] = [await subject.usage(), await databaseMs?.()]
  const result: LoadResult = await runLoad({ origin: subject.origin, connections, next, durationMs: roundMs })
  const [after, databaseAfter] = [await subject.usage(), await databaseMs?.()]
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed`)
  return {
    perSecond: result.perSecond,
    processorMsPerRequest: (after.processorMs - before.processorMs) / Math.max(1, result.requests),
    databaseMsPerRequest:
      databaseBefore === undefined || databaseAfter === undefined
        ? undefined
        : (databaseAfter - databaseBefore) / Math.max(1, result.requests),
    p50Ms: result.latencies.p50Ms,
    p99Ms: result.latencies.p99Ms,
  }
}

/** Of the process and of the database, as if one core did it all. */
const costMs = ({ processorMsPerRequest, databaseMsPerRequest = 0 }: Rate): number =>
  processorMsPerRequest + databaseMsPerRequest

export const perProcessorSecond = (rate: Rate): number => 1_000 / costMs(rate)

const medianRate = (rates: readonly Rate[]): Rate => ({
  perSecond: medianOf(rates.map((rate) => rate.perSecond)),
  processorMsPerRequest: medianOf(rates.map((rate) => rate.processorMsPerRequest)),
  databaseMsPerRequest: medianOfKnown(rates.map((rate) => rate.databaseMsPerRequest)),
  p50Ms: medianOf(rates.map((rate) => rate.p50Ms)),
  p99Ms: medianOf(rates.map((rate) => rate.p99Ms)),
})

function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : medianOf(known)
}

const microseconds = (valueMs: number): string => `${(valueMs * 1000).toFixed(valueMs < 0.1 ? 1 : 0)} µs`

export const rateNotes = ({ ours, bare, clockRatio }: Comparison): string[] => [
  `processor time a request, the answering process: ours ${microseconds(ours.processorMsPerRequest)}, bare ${microseconds(bare.processorMsPerRequest)}`,
  ...(ours.databaseMsPerRequest === undefined || bare.databaseMsPerRequest === undefined
    ? []
    : [
        `processor time a request, the database: ours ${microseconds(ours.databaseMsPerRequest)}, bare ${microseconds(bare.databaseMsPerRequest)}`,
      ]),
  `by the clock: ours ${count(ours.perSecond)}/s, bare ${count(bare.perSecond)}/s, ratio ${ratioText(clockRatio)}`,
  `p50/p99: ours ${ours.p50Ms.toFixed(1)}/${ours.p99Ms.toFixed(1)} ms, bare ${bare.p50Ms.toFixed(1)}/${bare.p99Ms.toFixed(1)} ms`,
]
