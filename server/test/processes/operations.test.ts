import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callOrigin } from '../support/call-origin.ts'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { freePort, until } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openRunPlace } from '../support/run-place.ts'

const database = testDatabase()

testOnPostgres('a worker answers for itself, and a server without any worker says what is missing', async (t) => {
  const place = openPostgresPlace(t, { url: database.url, db: database.db })
  const server = await place.start(['serve', '--no-worker'])
  const alone = await server.ask('GET', '/healthz')
  assert.equal(alone.status, 503)
  assert.match(alone.body.checks.background.reason, /^No worker is running/)
  assert.equal((await server.ask('GET', '/readyz')).status, 503)
  assert.equal((await server.ask('GET', '/livez')).status, 200)

  const port = String(await freePort())
  const worker = await place.startWorker({ MUSTER_WORKER_PORT: port })
  const atWorker = (path: string) => callOrigin(`http://127.0.0.1:${port}`, 'GET', path, {})
  assert.equal((await atWorker('/healthz')).status, 200)
  assert.equal((await atWorker('/livez')).status, 200)
  assert.equal((await atWorker('/devices')).status, 404)
  assert.match(String((await atWorker('/metrics')).body), /^muster_workers 1$/m)
  assert.equal((await server.ask('GET', '/readyz')).status, 200)

  // The second finds the port taken, and works on without it.
  const other = await place.startWorker({ MUSTER_WORKER_PORT: port })
  await other.says(/choose another MUSTER_WORKER_PORT/)
  assert.equal(await worker.stop(), 0)
  assert.equal((await server.ask('GET', '/readyz')).status, 200)

  const rows = await database.connection.executeScript(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'muster %' order by 1`)
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['muster serve --no-worker', 'muster worker'],
  )
  assert.equal(await other.stop(), 0)
  assert.equal((await server.ask('GET', '/readyz')).status, 503)
})

test('a stop is announced to load balancers before the socket closes, and a second signal cuts it short', async (t) => {
  const place = await openRunPlace(t, { MUSTER_DRAIN_SECONDS: '300' })
  const server = await place.start(['serve'])
  const stopped = server.stop()
  await until(60_000, async () => (await server.ask('GET', '/readyz')).status === 503)
  assert.equal((await server.ask('GET', '/livez')).status, 200, 'it still answers')
  await server.stop()
  await stopped
})

test('the log of a server holds no link, and the command prints one until someone can sign in', async (t) => {
  const place = await openRunPlace(t)
  const server = await place.start(['serve'])
  await server.says(/`muster admins first-link` for a one-time link/)
  assert.match((await place.run(['admins', 'first-link'])).err, /no organization yet/)
  assert.equal((await place.run(['organizations', 'create', 'Acme'])).exit, 0)

  for (const line of server.output().trim().split('\n')) assert.doesNotThrow(() => JSON.parse(line), line)
  assert.doesNotMatch(server.output(), /\/console\/[^"]*#/)
  const { exit, out } = await place.run(['admins', 'first-link'])
  assert.equal(exit, 0)
  assert.match(out, /^http:\/\/localhost:\d+\/console\/\S+\n$/)
  assert.equal(await server.stop(), 0)
})
