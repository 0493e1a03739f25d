import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { testOnPostgres } from '../support/database.ts'
import { type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { openOwnCluster } from './own-cluster.ts'

type Client = ReturnType<typeof osqueryClient>

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const failing = { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }
const unavailable = { error: 'The service is not available', node_invalid: false }

testOnPostgres('a server outlives its database', async (t) => {
  const cluster = await openOwnCluster(t)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const { db, close } = await connectPostgres({ url: cluster.url })
  t.after(close)
  const place = openPostgresPlace(t, { url: cluster.url, db })
  const server = await place.start(['serve'])
  const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, { key: place.key, body })
  const isReady = async () => (await server.ask('GET', '/readyz')).status === 200
  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  t.after(async () => client.close())
  assert.ok((await client.enroll(place.enrollSecret)).accepted)
  await client.answerAll(() => passing)
  const { id: deviceId } = (await ask('GET', '/devices')).body.data[0]
  const checks = await ask('GET', `/checks?query=${encodeURIComponent('slug:linux-pending-reboot')}`)
  const { id: checkId } = checks.body.data[0]

  await t.test('what an agent could not deliver meanwhile is there after its next try', async () => {
    await ask('POST', `/devices/${deviceId}/check_refreshes`, { check_id: checkId })
    const { queries } = await client.read()
    const [name = ''] = Object.keys(queries)
    await cluster.stop()
    await assertUnavailable(server, place.key)
    await assertAgentsWait(server, client, place.enrollSecret, { [name]: failing })
    await cluster.start()
    await until(20_000, isReady)
    await server.says(/The database can be used again/)
    const lines = server
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const said = lines.filter(({ level }) => level === 'warn' || level === 'error').map(({ msg }) => msg)
    assert.deepEqual(
      said.filter((msg) => /request|The database/.test(msg)),
      [
        'The database cannot be used: what fails for it is only counted until it can be used again',
        'The database can be used again',
      ],
    )
    assert.ok(lines.find(({ msg }) => msg === 'The database can be used again').refused_requests >= 7)
    const delivered = await client.write({})
    assert.ok(delivered.accepted, delivered.text)
    const { body } = await ask('GET', `/devices/${deviceId}/check_results?query=status:failing`)
    assert.deepEqual(
      body.data.map(({ check_id }: { check_id: string }) => check_id),
      [checkId],
    )
  })

  await t.test('the work in the background continues by itself', async () => {
    const body = { remediation_strategy: 'block_immediately' }
    assert.equal((await ask('PATCH', `/checks/${checkId}/configurations`, body)).status, 200)
    await until(30_000, async () => (await ask('GET', `/devices/${deviceId}`)).body.auth_state === 'Blocked', 250)
  })

  await t.test('a restart of the database under requests shows as 503 at most', async () => {
    const statuses = new Map<number, number>()
    let isOver = false
    const load = async () => {
      while (!isOver) {
        const { status } = await server.ask('GET', '/devices', { key: (await keyOfLoad) ?? '' })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        await pause(10)
      }
    }
    const keyOfLoad = place.addKey().then(({ key }) => key)
    await keyOfLoad
    const loads = [load(), load(), load()]
    await pause(300)
    await cluster.restart()
    await until(20_000, isReady)
    isOver = true
    await Promise.all(loads)
    assert.ok(statuses.get(200), 'some were answered')
    for (const status of statuses.keys()) assert.ok([200, 429, 503].includes(status), `${status}`)
    assert.equal((await ask('GET', `/devices/${deviceId}`)).status, 200)
  })

  await t.test('a stop does not wait for a database that is gone', async () => {
    await client.config()
    await cluster.stop()
    await server.stop()
    await cluster.start()
  })
})

async function assertUnavailable(server: MusterProcess, key: string): Promise<void> {
  for (const path of ['/whoami', '/devices', '/devices/1']) {
    const { status, body, headers } = await server.ask('GET', path, { key })
    assert.equal(status, 503)
    assert.deepEqual(Object.keys(body), ['error', 'message'])
    assert.equal(body.error, 'unavailable')
    assert.match(String(headers['x-request-id']), /^[\w-]{36}$/)
    assert.doesNotMatch(body.message, /ECONN|127\.0\.0\.1|postgres|database/i)
  }
  assert.deepEqual((await server.ask('GET', '/readyz')).body, { status: 'not ready' })
  assert.equal((await server.ask('GET', '/healthz')).status, 503)
}

/** Nobody is told that a node key or a secret is not in force: nobody can know now. */
async function assertAgentsWait(
  server: MusterProcess,
  client: Client,
  secret: string,
  results: Parameters<Client['write']>[0],
): Promise<void> {
  const refused = await client.write(results)
  assert.deepEqual(JSON.parse(refused.text), unavailable)
  assert.equal(refused.accepted, false)
  const stranger = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    stranger.nodeKey = 'k'.repeat(43)
    for (const verdict of [await stranger.config(), (await stranger.read()).verdict]) {
      assert.deepEqual(JSON.parse(verdict.text), unavailable)
    }
    assert.deepEqual(JSON.parse((await stranger.enroll(secret, { serial: 'PF999999' })).text), unavailable)
  } finally {
    stranger.close()
  }
}
