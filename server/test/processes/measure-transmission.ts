import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../support/muster-process.ts'

/** Slow enough that nothing waits for a processor, which would be all that is measured. */
const everyMs = 400
const burst = 60
/** A latency that is twice a few milliseconds says nothing on a machine that two processes fill. */
const floorMs = 50
/** What else the machine does can only make a figure worse, so that the best of some rounds tells. */
const rounds = 6

export type Measured = { p99Ms: number; perSecond: number }

type Transmission<Seen> = {
  deviceIds: readonly string[]
  /** Resolves, once it is committed, to how receivers tell the change from others. */
  change(deviceIds: readonly string[]): Promise<string>
  nameOf(seen: Seen): string | undefined
}
type Seeing<Seen> = { readonly received: Seen[] }

export const tellMeasured = ({ p99Ms, perSecond }: Measured): string => `p99 ${p99Ms} ms, ${perSecond} events/s`

/** Single changes at a steady pace for the latency, then many at once for the throughput. */
export async function measure<Seen extends { atMs: number }>(
  { change, deviceIds, nameOf }: Transmission<Seen>,
  receivers: readonly Seeing<Seen>[],
  count: number,
): Promise<Measured> {
  const seen = receivers.map(({ received }) => received.length)
  const committed = new Map<string, number>()
  for (let index = 0; index < count; index += 1) {
    const deviceId = deviceIds[index % deviceIds.length] ?? ''
    committed.set(await change([deviceId]), Date.now())
    await pause(everyMs)
  }
  const hasAll = (most: number) => async () =>
    receivers.every(({ received }, index) => received.length >= (seen[index] ?? 0) + most)
  await until(60_000, hasAll(count))
  const latencies = receivers.flatMap(({ received }, index) =>
    received.slice(seen[index]).map((one) => Math.max(0, one.atMs - (committed.get(nameOf(one) ?? '') ?? Number.NaN))),
  )
  latencies.sort((left, right) => left - right)
  const startedAt = performance.now()
  await change(deviceIds.slice(0, burst))
  await until(60_000, hasAll(count + burst), 5)
  const seconds = (performance.now() - startedAt) / 1_000
  return {
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    perSecond: Math.round((receivers.length * burst) / seconds),
  }
}

/** Measures until each figure was about as good as `before` in some round; undefined when that did not happen. */
export async function measureAgainst(before: Measured, round: () => Promise<Measured>): Promise<Measured | undefined> {
  const best: Measured = { p99Ms: Number.POSITIVE_INFINITY, perSecond: 0 }
  for (let made = 0; made < rounds; made += 1) {
    const { p99Ms, perSecond } = await round()
    best.p99Ms = Math.min(best.p99Ms, p99Ms)
    best.perSecond = Math.max(best.perSecond, perSecond)
    if (best.p99Ms <= Math.max(2 * before.p99Ms, floorMs) && best.perSecond >= 0.9 * before.perSecond) return best
  }
  return undefined
}

export async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024)
}
