import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { postgresOnly, testDatabase } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { drip, hang, type Receiver } from '../support/receivers.ts'
import { openStreamPlace, type StreamPlace } from './stream-place.ts'

const database = testDatabase()
const streams = 100
const singles = 50
/** Slow enough that nothing waits for a processor, which would be all that is measured. */
const everyMs = 400
const burst = 60
const mostMegabytes = 512
/** What is held on to has to fit; given more, the engine keeps garbage for as long as there is room. */
const heapMegabytes = 192
/** A latency that is twice a few milliseconds says nothing on a machine that two processes fill. */
const floorMs = 50
/** What else the machine does can only make a round worse, so one that is good tells. */
const rounds = 3

type Measured = { p99Ms: number; perSecond: number }

test('fifty receivers that hang or drip cost fifty others nothing', { skip: postgresOnly }, async (t) => {
  const streamPlace = await openStreamPlace(t, { url: database.url, db: database.db }, 200)
  const { change, deviceIds, countPending, place } = streamPlace
  const added = await Promise.all(Array.from({ length: streams }, () => streamPlace.addPushStream()))
  const receivers = added.map(({ receiver }) => receiver)
  const [healthy, others] = [receivers.slice(0, streams / 2), receivers.slice(streams / 2)]
  const worker = await place.startWorker({ NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` })
  // Connections are made and code is warm before anything is measured.
  await measure(streamPlace, healthy, 10)
  const before = await measure(streamPlace, healthy, singles)
  t.diagnostic(`fault-free: ${told(before)}`)
  await until(30_000, async () => (await countPending()) === 0)
  const counts = healthy.map(({ received }) => received.length + deviceIds.length)
  for (const [index, receiver] of others.entries()) receiver.answer = index % 2 === 0 ? hang : drip
  await change(deviceIds)
  await until(60_000, async () => healthy.every(({ received }, index) => received.length === counts[index]))

  const isGood = ({ p99Ms, perSecond }: Measured) =>
    p99Ms <= Math.max(2 * before.p99Ms, floorMs) && perSecond >= 0.9 * before.perSecond
  const meanwhile: Measured[] = []
  while (meanwhile.length < rounds && !meanwhile.some(isGood)) {
    const measured = await measure(streamPlace, healthy, singles)
    t.diagnostic(`with trouble: ${told(measured)}`)
    meanwhile.push(measured)
  }
  const waiting = await countPending()
  const megabytes = await peakMegabytes(worker.pid)
  t.diagnostic(`${waiting} events wait for the receivers in trouble; the worker had ${megabytes} MB at most`)
  assert.ok(waiting >= others.length * (deviceIds.length - 8), 'the others were in trouble all the time')
  assert.ok(meanwhile.some(isGood), JSON.stringify({ before, meanwhile }))
  assert.ok(megabytes < mostMegabytes, `${megabytes} MB`)
})

const told = ({ p99Ms, perSecond }: Measured): string => `p99 ${p99Ms} ms, ${perSecond} events/s`

/** Single changes at a steady pace for the latency, then many at once for the throughput. */
async function measure({ change, deviceIds }: StreamPlace, receivers: readonly Receiver[], count: number) {
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
    received.slice(seen[index]).map(({ txn, atMs }) => Math.max(0, atMs - (committed.get(txn ?? '') ?? Number.NaN))),
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

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024)
}
