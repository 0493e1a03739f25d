import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import type { Receiver } from '../support/receivers.ts'
import { extent, isSoak } from '../support/soak.ts'
import { openStreamPlace } from './stream-place.ts'

const database = testDatabase()
const streams = 10
const changes = Number(process.env['MUSTER_CHAOS_CHANGES'] ?? extent(400, 2_000))
const atOnce = 100
/** Longer than a worker keeps a stream that has nothing to deliver. */
const lullMs = 6_000

testOnPostgres('four workers send each event of a fault-free run once', async (t) => {
  const streamPlace = await openStreamPlace(t, { url: database.url, db: database.db }, 400)
  const { place, change, countPending, deviceIds } = streamPlace
  const isDrained = async () => (await countPending()) === 0
  const receivers: Receiver[] = []
  for (let index = 0; index < streams; index += 1) receivers.push((await streamPlace.addPushStream()).receiver)
  const workers = await Promise.all(Array.from({ length: 4 }, () => place.startWorker()))
  const startedAt = performance.now()
  const histories = new Map<string, string[]>(deviceIds.map((id) => [id, []]))
  for (let made = 0; made < changes; made += atOnce) {
    const from = (made * 3) % deviceIds.length
    const changed = deviceIds.slice(from, from + atOnce)
    const txn = await change(changed)
    for (const deviceId of changed) histories.get(deviceId)?.push(txn)
    // One ends as a deployment ends it, and then all lie still for a while.
    if (made === Math.floor(changes / 4 / atOnce) * atOnce) assert.equal(await workers.pop()?.stop(), 0)
    if (made === Math.floor(changes / 2 / atOnce) * atOnce) await lull()
    await pause(50)
  }
  await until(600_000, isDrained, 500)
  const seconds = (performance.now() - startedAt) / 1_000
  t.diagnostic(`${changes} changes for ${streams} receivers arrived in ${seconds.toFixed(1)} s, with a lull in it`)

  for (const { received } of receivers) {
    const seen = new Set<string>()
    const firsts = received.filter(({ jti }) => !seen.has(jti) && seen.add(jti))
    assert.equal(firsts.length, changes)
    // A worker that gets no processor for seconds loses its lease, and another sends again what was under way.
    if (isSoak) assert.equal(received.length, changes)
    const arrived = Map.groupBy(firsts, ({ deviceId }) => deviceId)
    for (const [deviceId, txns] of histories) {
      assert.deepEqual(arrived.get(deviceId)?.map(({ txn }) => txn) ?? [], txns)
    }
  }
  const attempts = database.db.selectFrom('ssf_attempts').select(({ fn }) => fn.countAll<string>().as('count'))
  if (isSoak) assert.deepEqual(await attempts.execute(), [{ count: String(changes * streams) }])
  assert.deepEqual(await Promise.all(workers.map((worker) => worker.stop())), [0, 0, 0])

  async function lull(): Promise<void> {
    await until(600_000, isDrained, 500)
    await pause(lullMs)
  }
})
