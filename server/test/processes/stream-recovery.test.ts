import assert from 'node:assert/strict'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { until } from '../support/muster-process.ts'
import { accept, answerWith, hang, type Receiver } from '../support/receivers.ts'
import { openStreamPlace } from './stream-place.ts'

const database = testDatabase()

const hasAll =
  ({ received }: Receiver, after: number, count: number) =>
  async () =>
    new Set(received.slice(after).map(({ jti }) => jti)).size === count

testOnPostgres('streams after trouble', async (t) => {
  const devices = 2_000
  const streamPlace = await openStreamPlace(t, { url: database.url, db: database.db }, devices)
  const { place, change, countPending, deviceIds } = streamPlace

  await t.test(
    'a receiver that comes back just after a probe, when waits are longest, has everything in two minutes',
    async (t) => {
      const { receiver, streamId } = await streamPlace.addPushStream()
      receiver.answer = answerWith(503)
      await change(deviceIds)
      // As ten minutes of failures leave it.
      await database.db
        .updateTable('ssf_stream_deliveries')
        .set({
          failures: 12,
          failing_since: new Date(Date.now() - 600_000).toISOString(),
          held_until: new Date(Date.now() + 2_000).toISOString(),
          last_error: 'The receiver answered 503',
        })
        .where('stream_id', '=', streamId)
        .execute()
      const worker = await place.startWorker()
      await until(30_000, async () => receiver.received.length > 0)
      const downAt = receiver.received.length
      receiver.answer = accept
      const tookMs = await until(120_000, hasAll(receiver, downAt, devices), 100)
      t.diagnostic(`it had ${devices} events ${Math.round(tookMs / 1_000)} s after it came back`)
      assert.ok(tookMs > 40_000, 'the wait was one of the longest')
      await until(10_000, async () => (await countPending()) === 0)
      assert.equal(receiver.received.length, downAt + devices, 'none was sent twice')
      assert.equal(await worker.stop(), 0)
      await database.db.updateTable('ssf_streams').set({ status: 'disabled' }).execute()
    },
  )

  await t.test('a stream whose worker is killed in the middle of sending continues', async (t) => {
    const { receiver } = await streamPlace.addPushStream()
    const killed = await place.startWorker()
    receiver.answer = hang
    const some = deviceIds.slice(0, 500)
    await change(some)
    await until(15_000, async () => receiver.received.length === 8)
    const other = await place.startWorker()
    await killed.kill()
    receiver.answer = accept
    const firstMs = await until(20_000, async () => receiver.received.length > 8)
    const restMs = await until(20_000, hasAll(receiver, 8, some.length))
    t.diagnostic(`it went on after ${Math.round(firstMs)} ms, and had everything ${Math.round(restMs)} ms later`)
    await until(10_000, async () => (await countPending()) === 0)
    assert.equal(receiver.received.length, 8 + some.length, 'only what was under way was sent twice')
    const tokens = new Map(receiver.received.map(({ jti, token }) => [jti, token]))
    assert.ok(receiver.received.every(({ jti, token }) => tokens.get(jti) === token))
    assert.equal(await other.stop(), 0)
  })
})
