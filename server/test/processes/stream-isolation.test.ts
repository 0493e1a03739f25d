import assert from 'node:assert/strict'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { drip, hang, type Received, type Receiver } from '../support/receivers.ts'
import { extent, isSoak } from '../support/soak.ts'
import { measure, measureAgainst, peakMegabytes, tellMeasured } from './measure-transmission.ts'
import { openStreamPlace } from './stream-place.ts'

const database = testDatabase()
const streams = extent(20, 100)
const singles = 50
const maxMegabytes = 512
/** What is held on to has to fit; given more, the engine keeps garbage for as long as there is room. */
const heapMegabytes = 192

testOnPostgres('receivers that hang or drip, half of all, cost the others nothing', async (t) => {
  const streamPlace = await openStreamPlace(t, { url: database.url, db: database.db }, 200)
  const { change, deviceIds, countPending, place } = streamPlace
  const transmission = { change, deviceIds, nameOf: ({ txn }: Received) => txn }
  const added = await Promise.all(Array.from({ length: streams }, () => streamPlace.addPushStream()))
  const receivers: Receiver[] = added.map(({ receiver }) => receiver)
  const [healthy, others] = [receivers.slice(0, streams / 2), receivers.slice(streams / 2)]
  const worker = await place.startWorker({ NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` })
  // Connections are made and code is warm before anything is measured.
  await measure(transmission, healthy, 10)
  const before = isSoak ? await measure(transmission, healthy, singles) : undefined
  if (before) t.diagnostic(`fault-free: ${tellMeasured(before)}`)
  await until(30_000, async () => (await countPending()) === 0)
  const counts = healthy.map(({ received }) => received.length + deviceIds.length)
  for (const [index, receiver] of others.entries()) receiver.answer = index % 2 === 0 ? hang : drip
  await change(deviceIds)
  await until(60_000, async () => healthy.every(({ received }, index) => received.length === counts[index]))

  // How fast it goes tells something on a machine with nothing else to do.
  const good =
    before &&
    (await measureAgainst(before, async () => {
      const measured = await measure(transmission, healthy, singles)
      t.diagnostic(`with trouble: ${tellMeasured(measured)}`)
      return measured
    }))
  const waiting = await countPending()
  const megabytes = await peakMegabytes(worker.pid)
  t.diagnostic(`${waiting} events wait for the receivers in trouble; the worker had ${megabytes} MB at most`)
  assert.ok(waiting >= others.length * (deviceIds.length - 8), 'the others were in trouble all the time')
  assert.ok(good || !isSoak, 'the figures were never as good as the fault-free ones')
  assert.ok(megabytes < maxMegabytes, `${megabytes} MB`)
})
