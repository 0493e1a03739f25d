import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { type FreezingProxy, openFreezingProxy } from '../../../test/support/freezing-proxy.ts'
import { until } from '../../../test/support/muster-process.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { unansweredCounter } from './answer-limit.ts'
import { type Connection, connectPostgres } from './connect.ts'
import { readDirectly, runDirectly } from './run-directly.ts'
import { testMigrations } from './test-schema.ts'
import { type Db, transact } from './transact.ts'

const database = testDatabase(testMigrations)

/** An answer is waited for five seconds longer. */
const statementTimeoutMs = 1_000

async function connectThroughProxy(
  t: TestContext,
  maxConnections = 10,
): Promise<{ proxy: FreezingProxy; connection: Connection }> {
  const proxy = await openFreezingProxy(t, database.url ?? '')
  const connection = await connectPostgres({ url: proxy.url, statementTimeoutMs, maxConnections })
  t.after(() => connection.close())
  return { proxy, connection }
}

const ask = (db: Db) => sql`select 1`.execute(db)

async function openAll(connection: Connection, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => ask(connection.db)))
  assert.deepEqual(connection.poolUse(), { used: 0, idle: count, waiting: 0 })
}

async function countUnanswered(): Promise<number> {
  return (await unansweredCounter.get()).values[0]?.value ?? 0
}

/** What is never answered fails the test, instead of keeping it. */
async function failsAsUnavailable(name: string, work: Promise<unknown>): Promise<void> {
  let outcome: unknown
  work.then(
    () => {
      outcome = new Error('It was answered')
    },
    (error: unknown) => {
      outcome = error
    },
  )
  await until(0, async () => outcome !== undefined)
  assert.ok(isDatabaseUnavailable(outcome), `${name}: ${outcome}`)
}

testOnPostgres('what silent connections were asked fails as unavailable, and others take their place', async (t) => {
  const { proxy, connection } = await connectThroughProxy(t, 8)
  const { db } = connection
  const isolated = await connection.openIsolated('muster report of a test')
  t.after(() => isolated.close())
  await openAll(connection, 8)
  const before = await countUnanswered()
  const asked = {
    'a statement': () => ask(connection.db),
    'a statement with values': () => sql`select ${1}::int`.execute(db),
    'a transaction': () => transact(db, (tx) => sql`select 1`.execute(tx)),
    'a direct statement': () => runDirectly(db, 'select $1::int', [1]),
    'a direct read': () => readDirectly(db, 'one', 'select $1::int', [1]),
    'another of its party': () => readDirectly(db, 'one', 'select $1::int', [2]),
    'a script': () => connection.executeScript('select 1; select 2'),
    'a look for faults': () => connection.describeFault(),
    'an isolated statement': () => ask(isolated.db),
  }
  const transaction = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const halfDone = transact(db, async (tx) => {
    await sql`select 1`.execute(tx)
    begun.resolve()
    await transaction.promise
    await sql`select 1`.execute(tx)
  })
  await begun.promise
  proxy.freeze()
  transaction.resolve()
  await Promise.all([
    failsAsUnavailable('a transaction under way', halfDone),
    ...Object.entries(asked).map(([name, work]) => failsAsUnavailable(name, work())),
  ])
  await Promise.all([ask(connection.db), ask(isolated.db), transact(db, (tx) => sql`select 1`.execute(tx))])
  assert.equal(connection.poolUse()?.used, 0)
  // Two reads shared a connection.
  assert.equal((await countUnanswered()) - before, 9)
})

const backendOf = async (db: Db) => (await sql<{ id: number }>`select pg_backend_pid() as id`.execute(db)).rows[0]?.id

testOnPostgres('a statement that is slow is ended by the server, and its connection stays', async (t) => {
  const { connection } = await connectThroughProxy(t, 1)
  const [backend, before] = [await backendOf(connection.db), await countUnanswered()]
  await assert.rejects(sql`select pg_sleep(60)`.execute(connection.db), { code: '57014' })
  await assert.rejects(connection.executeScript('select pg_sleep(60)'), { code: '57014' })
  assert.equal(await backendOf(connection.db), backend)
  assert.equal(await countUnanswered(), before)
})

testOnPostgres('what has ended is not waited for, and a script may take longer', async (t) => {
  const { connection } = await connectThroughProxy(t)
  const before = await countUnanswered()
  await connection.db.connection().execute(async (held) => {
    await sql`select pg_terminate_backend(${await backendOf(held)})`.execute(database.db)
    await pause(1_000)
    await failsAsUnavailable('what ended meanwhile', ask(held))
  })
  // Takes longer than an answer is waited for.
  const script = 'begin; set local statement_timeout = 0; select pg_sleep(8)::text as slept; commit'
  assert.deepEqual(await connection.executeScript(script, { mayTakeLong: true }), [{ slept: '' }])
  assert.equal(await countUnanswered(), before)
})

testOnPostgres('what waits beside the pool does not wait for good either', { concurrency: true }, async (t) => {
  const listens = t.test('a listener that hears nothing is opened again, and told', async (t) => {
    const { proxy, connection } = await connectThroughProxy(t)
    const received: string[] = []
    let reconnects = 0
    await connection.listen(
      'frozen',
      (payload) => received.push(payload),
      () => {
        reconnects += 1
      },
    )
    proxy.freeze()
    await until(0, async () => reconnects === 1, 500)
    await sql`select pg_notify('frozen', 'heard')`.execute(database.db)
    await until(0, async () => received.length > 0)
    assert.deepEqual(received, ['heard'])
  })
  const connects = t.test('a connection that is taken and never answered', async (t) => {
    const { proxy, connection } = await connectThroughProxy(t, 1)
    proxy.freezeNew()
    await Promise.all([
      failsAsUnavailable('a first one', connectPostgres({ url: proxy.url })),
      failsAsUnavailable('an isolated one', connection.openIsolated('muster report of a test')),
      connection.db.connection().execute(() => failsAsUnavailable('who waits for another', ask(connection.db))),
    ])
    proxy.leadTo(database.url ?? '')
    await ask(connection.db)
  })
  const closes = t.test('a close', async (t) => {
    const { proxy, connection } = await connectThroughProxy(t)
    await connection.listen('frozen', () => {})
    await openAll(connection, 3)
    proxy.freeze()
    const asked = failsAsUnavailable('what is under way', ask(connection.db))
    await connection.close()
    await asked
  })
  await Promise.all([listens, connects, closes])
})
