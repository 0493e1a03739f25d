import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import type { HookReceiver } from '../support/hook-receivers.ts'
import { until } from '../support/muster-process.ts'
import { accept, answerWith, hang } from '../support/receivers.ts'
import { openHookPlace } from './hook-place.ts'

const database = testDatabase()
const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString()

const hasAll =
  ({ received }: HookReceiver, after: number, count: number) =>
  async () =>
    new Set(received.slice(after).map(({ id }) => id)).size === count

testOnPostgres('webhooks after trouble', async (t) => {
  const devices = 1_000
  const hookPlace = await openHookPlace(t, { url: database.url, db: database.db }, devices)
  const { place, server, change, countPending, deviceIds } = hookPlace
  const isDrained = async () => (await countPending()) === 0

  await t.test(
    'an endpoint that was down for ten minutes has everything within two minutes of being back',
    async (t) => {
      const { receiver, endpointId } = await hookPlace.addEndpoint()
      receiver.answer = answerWith(503)
      await change(deviceIds)
      // As ten minutes of failures leave it: what waits is not due for long, and the next probe is soon.
      await database.db
        .updateTable('webhook_deliveries')
        .set({ next_attempt_at: isoIn(1_800_000), attempts: 2 })
        .execute()
      await database.db
        .updateTable('webhook_standings')
        .set({ failing_since: isoIn(-600_000), probe_at: isoIn(1_000), last_error: 'The endpoint answered 503' })
        .where('endpoint_id', '=', endpointId)
        .execute()
      const worker = await place.startWorker()
      await until(30_000, async () => receiver.received.length > 0)
      const downAt = receiver.received.length
      // The next probe is a minute and a half away; it is brought forward so that the test need not wait for it.
      await worker.stop()
      const { probe_at: probeAt } = await database.db
        .selectFrom('webhook_standings')
        .select('probe_at')
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirstOrThrow()
      const probeMs = Date.parse(probeAt ?? '') - Date.now()
      assert.ok(probeMs < 100_000, `it is probed again in ${probeMs} ms`)
      receiver.answer = accept
      await database.db
        .updateTable('webhook_standings')
        .set({ probe_at: isoIn(0) })
        .execute()
      const other = await place.startWorker()
      const tookMs = await until(120_000, hasAll(receiver, downAt, devices), 100)
      t.diagnostic(`it had ${devices} webhooks ${Math.round(tookMs / 1_000)} s after the probe`)
      await until(10_000, isDrained)
      assert.equal(receiver.received.length, downAt + devices, 'none was sent twice')
      assert.equal(await other.stop(), 0)
      await disable(endpointId)
    },
  )

  await t.test('what a worker was sending when it was killed continues', async (t) => {
    const { receiver, endpointId } = await hookPlace.addEndpoint()
    const killed = await place.startWorker()
    receiver.answer = hang
    const some = deviceIds.slice(0, 300)
    await change(some)
    await until(15_000, async () => receiver.received.length === 8)
    const other = await place.startWorker()
    await killed.kill()
    receiver.answer = accept
    const firstMs = await until(20_000, async () => receiver.received.length > 8)
    await until(20_000, hasAll(receiver, 8, some.length))
    t.diagnostic(`it went on after ${Math.round(firstMs)} ms`)
    await until(10_000, isDrained)
    assert.equal(receiver.received.length, 8 + some.length, 'only what was under way was sent twice')
    const bodies = new Map(receiver.received.map(({ id, body }) => [id, body]))
    assert.ok(receiver.received.every(({ id, body }) => bodies.get(id) === body))
    assert.equal(await other.stop(), 0)
    await disable(endpointId)
  })

  await t.test(
    'a secret that is rolled while webhooks run loses none, whichever of the two a receiver has',
    async () => {
      const { receiver, endpointId, secret } = await hookPlace.addEndpoint()
      const worker = await place.startWorker()
      let known = new Webhook(secret)
      let refused = 0
      receiver.answer = (hook, response) => {
        const isKnown = verifies(known, hook)
        if (!isKnown) refused += 1
        response.writeHead(isKnown ? 202 : 401).end()
      }
      const sending = (async () => {
        for (let from = 0; from < 600; from += 20) {
          await change(deviceIds.slice(from, from + 20))
          await pause(50)
        }
      })()
      await until(15_000, async () => receiver.received.length >= 100)
      const path = `/webhook_endpoints/${endpointId}/roll_secret`
      const rolled = await server.ask('POST', path, { key: place.key, body: {} })
      assert.equal(rolled.status, 200)
      // The receiver learns of the new one later, and while webhooks are under way.
      await until(15_000, async () => receiver.received.length >= 300)
      known = new Webhook(rolled.body.secret)
      await sending
      await until(15_000, isDrained)
      assert.deepEqual([refused, receiver.received.length], [0, 600])
      const signatures = receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length)
      assert.deepEqual([signatures[0], signatures.at(-1)], [1, 2])
      assert.equal(await worker.stop(), 0)
    },
  )

  async function disable(endpointId: string): Promise<void> {
    const body = { enabled: false }
    const { status } = await server.ask('PATCH', `/webhook_endpoints/${endpointId}`, { key: place.key, body })
    assert.equal(status, 200)
  }
})

function verifies(secret: Webhook, { body, headers }: HookReceiver['received'][number]): boolean {
  try {
    secret.verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
