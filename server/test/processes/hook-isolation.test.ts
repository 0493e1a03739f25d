import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import type { Hook } from '../support/hook-receivers.ts'
import { until } from '../support/muster-process.ts'
import { answerWith, drip, hang } from '../support/receivers.ts'
import { isSoak } from '../support/soak.ts'
import { openHookPlace } from './hook-place.ts'
import { measure, measureAgainst, peakMegabytes, tellMeasured } from './measure-transmission.ts'

const database = testDatabase()
/** As many as an organization may have. */
const endpoints = 50
const singles = 50
const maxMegabytes = 512
/** What is held on to has to fit; given more, the engine keeps garbage for as long as there is room. */
const heapMegabytes = 192
const troubles = [hang, drip, answerWith(500)]

testOnPostgres('endpoints that hang, drip or always fail, half of all, cost the others nothing', async (t) => {
  const hookPlace = await openHookPlace(t, { url: database.url, db: database.db }, 200)
  const { deviceIds, countPending, place } = hookPlace
  async function change(changed: readonly string[]): Promise<string> {
    const name = randomUUID()
    await hookPlace.change(changed, name)
    return name
  }
  const transmission = { change, deviceIds, nameOf: ({ data }: Hook) => data.device_name }
  const added = await Promise.all(Array.from({ length: endpoints }, () => hookPlace.addEndpoint()))
  const receivers = added.map(({ receiver }) => receiver)
  const [healthy, others] = [receivers.slice(0, endpoints / 2), receivers.slice(endpoints / 2)]
  const worker = await place.startWorker({ NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` })
  // Connections are made and code is warm before anything is measured.
  await measure(transmission, healthy, 10)
  const before = isSoak ? await measure(transmission, healthy, singles) : undefined
  if (before) t.diagnostic(`fault-free: ${tellMeasured(before)}`)
  await until(30_000, async () => (await countPending()) === 0)
  const counts = healthy.map(({ received }) => received.length + deviceIds.length)
  for (const [index, receiver] of others.entries()) receiver.answer = troubles[index % troubles.length] ?? hang
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
  t.diagnostic(`${waiting} webhooks wait for the endpoints in trouble; the worker had ${megabytes} MB at most`)
  assert.ok(waiting >= others.length * (deviceIds.length - 8), 'the others were in trouble all the time')
  assert.ok(good || !isSoak, 'the figures were never as good as the fault-free ones')
  assert.ok(megabytes < maxMegabytes, `${megabytes} MB`)
})
