// Party: PgBouncer: pgbouncer
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Connection, connectPostgres } from '../../src/base/db/connect.ts'
import { openOwnCluster } from '../processes/own-cluster.ts'
import { freePort, type Hooks, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace, type PostgresPlace } from '../support/postgres-place.ts'
import { programFolder, runProgram } from './run-program.ts'

const endings: (() => Promise<void>)[] = []
const hooks = { after: (work: () => Promise<void>) => void endings.unshift(work) }
const folder = programFolder('pgbouncer')
let database: { url: string; own: Connection }

before(async () => {
  const cluster = await openOwnCluster(hooks)
  assert.ok(cluster, 'PostgreSQL is not installed')
  database = { url: cluster.url, own: await connectPostgres({ url: cluster.url }) }
})

after(async () => {
  await database.own.close()
  for (const end of endings) await end()
  folder.remove()
})

type Pooler = {
  url: string
  /** Has it go by another setting at once. */
  change(more: string): void
  restart(): Promise<void>
  /** As its administrator. */
  command(words: string): Promise<void>
}

/** As docs/scaling.md asks for, unless `more` says otherwise. */
async function startPooler(more = 'pool_mode = session'): Promise<Pooler> {
  const [port, server] = [await freePort(), new URL(database.url)]
  const url = Object.assign(new URL(database.url), { port: String(port) }).href
  const write = (settings: string) =>
    folder.write(
      `${port}.ini`,
      `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = postgres
${settings}
`,
    )
  const file = write(more)
  const run = () => runProgram('pgbouncer', [file], port)
  let running = await run()
  hooks.after(() => running.stop())
  return {
    url,
    change(settings) {
      write(settings)
      running.reload()
    },
    async restart() {
      await running.stop()
      running = await run()
    },
    async command(words) {
      const client = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: '/pgbouncer' }).href })
      await client.connect()
      try {
        await client.query(words)
      } finally {
        await client.end()
      }
    },
  }
}

const openPooler = async (more?: string): Promise<string> => (await startPooler(more)).url

/** Behind the pooler, on a database of its own, since each has its own key. */
async function openPooledPlace(t: Hooks, pooler: Pooler, name: string): Promise<PostgresPlace> {
  await sql`create database ${sql.id(name)}`.execute(database.own.db)
  const on = (url: string) => Object.assign(new URL(url), { pathname: name }).href
  const { db, close } = await connectPostgres({ url: on(database.url) })
  t.after(close)
  return openPostgresPlace(t, { url: on(pooler.url), db })
}

/** Reads, and enrollments of other machines, eight at a time while `work` runs; how often each status came. */
async function statusesDuring(place: PostgresPlace, server: MusterProcess, work: () => Promise<unknown>) {
  const seen = new Map<number, number>()
  const paths = ['/devices', '/audit_logs', '/people', '/checks']
  const keys = await Promise.all(Array.from({ length: 20 }, () => place.addKey()))
  let [isOver, asked] = [false, 0]
  async function askOne(number: number): Promise<number> {
    if (number % 8 > 0) {
      const key = keys[number % keys.length]?.key ?? ''
      return (await server.ask('GET', paths[number % paths.length] ?? '', { key })).status
    }
    const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
    const machine = randomUUID()
    const { status } = await client.enroll(place.enrollSecret, {
      uuid: machine,
      serial: machine,
      hostIdentifier: machine,
    })
    client.close()
    return status
  }
  async function askMany(): Promise<void> {
    while (!isOver) {
      asked += 1
      const status = await askOne(asked)
      seen.set(status, (seen.get(status) ?? 0) + 1)
    }
  }
  const all = Promise.all(Array.from({ length: 8 }, askMany))
  await work().finally(() => {
    isOver = true
  })
  await all
  return seen
}

const onlyServedOrUnavailable = (seen: ReadonlyMap<number, number>) =>
  assert.deepEqual([...seen.keys()].toSorted(), [200, 503], JSON.stringify([...seen]))

test('Muster works through a pooler that keeps a session for its client', async (t) => {
  const url = await openPooler()
  const place = openPostgresPlace(t, { url, db: database.own.db })
  const server = await place.start(['serve'])
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  t.after(async () => client.close())
  assert.ok((await client.enroll(place.enrollSecret)).accepted)
  await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))
  const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, { key: place.key, body })
  assert.equal((await ask('GET', '/readyz')).status, 200)
  for (const path of ['/devices', '/audit_logs', '/people', '/checks']) {
    const { status, body } = await ask('GET', path)
    assert.equal(status, 200, path)
    assert.ok(body.data.length > 0, path)
  }
  const doctor = await place.run(['doctor'])
  assert.match(doctor.out, /✓ database: PostgreSQL/)
})

test('a session behind a pooler ends while it computes', async (t) => {
  const connection = await connectPostgres({ url: await openPooler() })
  t.after(() => connection.close())
  const session = await connection.openIsolated('muster report of a test')
  // The pooler may close the connection before it hands on why.
  const isEnded = (error: Error & { code?: string }) =>
    error.code === '57P01' || error.message === 'Connection terminated'
  const ended = assert.rejects(sql`select pg_sleep(600)`.execute(session.db), isEnded)
  const sleepers = sql`select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`
  await until(10_000, async () => (await sleepers.execute(database.own.db)).rows.length === 1)
  assert.equal(await session.kill(), true)
  await ended
  assert.equal((await sleepers.execute(database.own.db)).rows.length, 0)
  await session.close()
})

test('a pooler by transaction is refused at the start, with what to change', async (t) => {
  const url = await openPooler('pool_mode = transaction')
  await assert.rejects(
    connectPostgres({ url }),
    /shares one session among several connections\. Set it to session pooling/,
  )
  const outcome = await openPostgresPlace(t, { url, db: database.own.db }).run(['serve'])
  assert.notEqual(outcome.exit, 0)
  assert.match(outcome.out + outcome.err, /Set it to session pooling/)
})

test('while a pooler turns to sharing sessions, health keeps failing and what cannot be served is a 503', async (t) => {
  const pooler = await startPooler()
  const place = await openPooledPlace(t, pooler, 'shared')
  const server = await place.start(['serve'])
  const look = async () => (await server.ask('GET', '/healthz')).body.checks.database
  const seen = await statusesDuring(place, server, async () => {
    // Statements that repeat are prepared by then.
    await pause(1_000)
    pooler.change('pool_mode = transaction')
    await until(10_000, async () => (await look()).status === 'fail')
    for (let times = 0; times < 30; times += 1) {
      assert.match((await look()).reason, /Set it to session pooling/)
      await pause(50)
    }
  })
  onlyServedOrUnavailable(seen)
  for (let times = 0; times < 10; times += 1) assert.equal((await look()).status, 'fail')
})

test('a pooler that ends connections, waits or starts again costs 503 at most', async (t) => {
  const pooler = await startPooler()
  const place = await openPooledPlace(t, pooler, 'restarted')
  const server = await place.start(['serve'])
  const seen = await statusesDuring(place, server, async () => {
    await pause(500)
    await pooler.command('KILL restarted')
    await pause(500)
    await pooler.command('RESUME restarted')
    await pooler.command('RECONNECT restarted')
    await pause(500)
    await pooler.restart()
    await pause(1_000)
  })
  onlyServedOrUnavailable(seen)
  await until(10_000, async () => (await server.ask('GET', '/readyz')).status === 200)
  assert.equal((await server.ask('GET', '/devices', { key: place.key })).status, 200)
})

test('a parameter of the URL that the pooler refuses is named', async () => {
  const url = await openPooler()
  const refused = connectPostgres({ url: `${url}?options=-c%20search_path%3Dpublic` })
  await assert.rejects(refused, /unsupported startup parameter: options.*ignore_startup_parameters/)
  const ignoring = await openPooler('ignore_startup_parameters = options')
  const connection = await connectPostgres({ url: `${ignoring}?options=-c%20search_path%3Dpublic` })
  await connection.close()
})
