// Party: PgBouncer: pgbouncer
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { type Connection, connectPostgres } from '../../src/base/db/connect.ts'
import { openOwnCluster } from '../processes/own-cluster.ts'
import { freePort, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
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

/** As docs/scaling.md asks for, unless `more` says otherwise. */
async function openPooler(more = 'pool_mode = session'): Promise<string> {
  const [port, server] = [await freePort(), new URL(database.url)]
  const file = folder.write(
    `${port}.ini`,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
${more}
`,
  )
  const pooler = await runProgram('pgbouncer', [file], port)
  hooks.after(pooler.stop)
  return Object.assign(server, { port: String(port) }).href
}

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

test('a parameter of the URL that the pooler refuses is named', async () => {
  const url = await openPooler()
  const refused = connectPostgres({ url: `${url}?options=-c%20search_path%3Dpublic` })
  await assert.rejects(refused, /unsupported startup parameter: options.*ignore_startup_parameters/)
  const ignoring = await openPooler('ignore_startup_parameters = options')
  const connection = await connectPostgres({ url: `${ignoring}?options=-c%20search_path%3Dpublic` })
  await connection.close()
})
