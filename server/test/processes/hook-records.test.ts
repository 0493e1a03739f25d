import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import type { HookReceiver } from '../support/hook-receivers.ts'
import { until } from '../support/muster-process.ts'
import { openHookPlace } from './hook-place.ts'

const database = testDatabase()
/** Answered without the log knowing. */
const maxUnwritten = 128

testOnPostgres('webhooks whose answers could not be written into the log', async (t) => {
  const devices = 150
  const hookPlace = await openHookPlace(t, { url: database.url, db: database.db }, devices)
  const { place, change, countPending, deviceIds } = hookPlace
  const isDrained = async () => (await countPending()) === 0

  await t.test(
    'a worker that is killed between answers and the log costs one repeat of each, the same bytes',
    async (t) => {
      const { receiver, endpointId } = await hookPlace.addEndpoint()
      const killed = await place.startWorker()
      const log = await holdLog()
      await change(deviceIds, 'first')
      await change(deviceIds, 'second')
      await until(15_000, async () => receiver.received.length === maxUnwritten)
      await until(5_000, log.isAwaited)
      await pause(300)
      assert.equal(receiver.received.length, maxUnwritten, 'no more is sent than may come again')
      await killed.kill()
      await log.release()
      assert.deepEqual(await attemptsOf(endpointId), [], 'the log knows of nothing')
      const other = await place.startWorker()
      await until(30_000, isDrained)
      const { received } = receiver
      const unwritten = received.slice(0, maxUnwritten)
      t.diagnostic(`${received.length} requests for ${2 * devices} webhooks`)
      assert.equal(received.length, 2 * devices + maxUnwritten)
      const repeated = [...Map.groupBy(received, ({ id }) => id)].filter(([, sends]) => sends.length > 1)
      assert.deepEqual(repeated.map(([id]) => id).toSorted(), unwritten.map(({ id }) => id).toSorted())
      for (const [, [sent, ...again]] of repeated)
        assert.deepEqual(
          again.map(({ body }) => body),
          [sent?.body],
        )
      assertInOrder(receiver)
      assert.deepEqual(await attemptsOf(endpointId), Array(2 * devices).fill({ state: 'delivered', attempts: 1 }))
      assert.equal(await other.stop(), 0)
      await forget(endpointId)
    },
  )

  await t.test('a worker whose database fails it between answers and the log repeats nothing', async () => {
    const { receiver, endpointId } = await hookPlace.addEndpoint()
    const worker = await place.startWorker()
    const log = await holdLog()
    await change(deviceIds, 'first')
    await change(deviceIds, 'second')
    await until(15_000, async () => receiver.received.length === maxUnwritten)
    await until(5_000, log.isAwaited)
    assert.ok((await log.endAwaiting()) > 0)
    await until(10_000, log.isAwaited)
    assert.equal(receiver.received.length, maxUnwritten)
    await log.release()
    await until(30_000, isDrained)
    assert.equal(receiver.received.length, 2 * devices)
    assertInOrder(receiver)
    assert.deepEqual(await attemptsOf(endpointId), Array(2 * devices).fill({ state: 'delivered', attempts: 1 }))
    assert.equal(await worker.stop(), 0)
  })

  function assertInOrder({ received }: HookReceiver): void {
    for (const sends of Map.groupBy(received, ({ data }) => data.device_id).values()) {
      assert.deepEqual([...new Set(sends.map(({ data }) => data.device_name))], ['first', 'second'])
    }
  }

  async function forget(endpointId: string): Promise<void> {
    const { status } = await hookPlace.server.ask('DELETE', `/webhook_endpoints/${endpointId}`, { key: place.key })
    assert.equal(status, 204)
  }
})

const heldKey = 7_048

/** Nothing that came of a webhook can be written into the log until it is released; webhooks can be queued. */
async function holdLog() {
  await sql`create or replace function await_log() returns trigger language plpgsql as
    'begin perform pg_advisory_xact_lock_shared(${sql.lit(heldKey)}); return null; end'`.execute(database.db)
  await sql`create or replace trigger held before update on webhook_deliveries
    for each statement execute function await_log()`.execute(database.db)
  const held = await database.db.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${heldKey})`.execute(held)
  const awaiting = sql`
    from pg_locks as lock where lock.locktype = 'advisory' and lock.objid = ${heldKey} and not lock.granted
      and lock.database = (select oid from pg_database where datname = current_database())`
  return {
    isAwaited: async (): Promise<boolean> => (await sql`select ${awaiting}`.execute(database.db)).rows.length > 0,
    /** Ends the sessions that wait, as a restart of the database does. */
    endAwaiting: async (): Promise<number> =>
      (await sql`select pg_terminate_backend(lock.pid) ${awaiting}`.execute(database.db)).rows.length,
    release: async (): Promise<void> => {
      await held.rollback().execute()
    },
  }
}

const attemptsOf = (endpointId: string) =>
  database.db
    .selectFrom('webhook_attempt_log as attempt')
    .innerJoin('webhook_deliveries as delivery', 'delivery.id', 'attempt.delivery_id')
    .where('attempt.endpoint_id', '=', endpointId)
    .select(['delivery.state', 'delivery.attempts'])
    .execute()
