import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectPostgres } from '../../src/base/db/connect.ts'
import { campaignLoad } from '../support/campaign-load.ts'
import { testOnPostgres } from '../support/database.ts'
import { openFreezingProxy } from '../support/freezing-proxy.ts'
import { freePort, type Hooks, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { type OwnCluster, openOwnCluster } from './own-cluster.ts'

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const failing = { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }
/** As many as a process has connections, and more. */
const clients = 20

testOnPostgres('a failover in which no connection is told that it is over', async (t) => {
  const endings: (() => Promise<void>)[] = []
  const hooks: Hooks = { after: (work) => void endings.unshift(work) }
  t.after(async () => {
    for (const end of endings) await end()
  })
  const cluster = await openOwnCluster(hooks)
  if (!cluster) return t.skip('no PostgreSQL is installed here that could be stopped')
  const proxy = await openFreezingProxy(hooks, cluster.url)
  const primary = await connectPostgres({ url: cluster.url })
  hooks.after(primary.close)
  const rates = { MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' }
  const place = openPostgresPlace(hooks, { url: proxy.url, db: primary.db }, rates)
  const server = await place.start(['serve', '--no-worker'])
  const worker = await place.startWorker()
  const standbyUrl = await startStandby(hooks, cluster)
  // What is acknowledged is on the disk of both.
  await primary.executeScript(`alter system set synchronous_standby_names = '*'`)
  await primary.executeScript('select pg_reload_conf()')
  const isInStep = async () => {
    const { rows } = await sql`select from pg_stat_replication where sync_state = 'sync'`.execute(primary.db)
    return rows.length > 0
  }
  await until(0, isInStep)

  const ask = (method: string, path: string, body?: unknown) => server.ask(method, path, { key: place.key, body })
  const isReady = async () => (await server.ask('GET', '/readyz')).status === 200
  const device = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  hooks.after(async () => device.close())
  assert.ok((await device.enroll(place.enrollSecret)).accepted)
  await device.answerAll(() => passing)
  const { id: deviceId } = (await ask('GET', '/devices')).body.data[0]
  const checks = await ask('GET', `/checks?query=${encodeURIComponent('slug:linux-pending-reboot')}`)
  const { id: checkId } = checks.body.data[0]
  await ask('POST', `/devices/${deviceId}/check_refreshes`, { check_id: checkId })
  const [asked = ''] = Object.keys((await device.read()).queries)
  const load = campaignLoad(server, { key: place.key, clients, writerEvery: 2, reads: ['/whoami'] })

  await t.test('the server is not ready, and ready by itself once another database is at the address', async () => {
    const running = load.begin()
    await until(0, async () => load.acknowledged.size > 50)
    proxy.freeze()
    proxy.freezeNew()
    // An agent waits for 16 s, and keeps what it could not deliver.
    const result = device.write({ [asked]: failing }).catch(() => undefined)
    const notReadyMs = await until(0, async () => !(await isReady()))
    await cluster.stop()
    const standby = await connectPostgres({ url: standbyUrl })
    hooks.after(standby.close)
    await standby.executeScript('select pg_promote()')
    proxy.leadTo(standbyUrl)
    const before = load.acknowledged.size
    const readyMs = await until(0, isReady)
    await until(0, async () => load.acknowledged.size > before + 50)
    const { statuses, oldestMs } = await running.end()
    t.diagnostic(
      `not ready after ${Math.round(notReadyMs)} ms; ready ${Math.round(readyMs)} ms after the switch; oldest request ${Math.round(oldestMs)} ms; ${describe(statuses)}`,
    )
    for (const status of statuses.keys()) assert.ok([200, 503].includes(status), describe(statuses))
    await result
    const after = await load.during(2_000)
    assert.deepEqual([...after.statuses.keys()], [200], describe(after.statuses))
    assert.equal((await ask('GET', '/whoami')).status, 200)

    const { rows } = await sql<{ name: string; count: number }>`
      select name, count(*)::integer as count from live_query_campaigns group by name`.execute(standby.db)
    const found = new Map(rows.map(({ name, count }) => [name, count]))
    for (const name of load.acknowledged) assert.equal(found.get(name), 1, name)
    for (const [name, count] of found) assert.ok(count === 1 && load.asked.has(name), `${name}: ${count}`)
  })

  await t.test('an agent delivers what it could not, and the work in the background continues', async () => {
    await until(0, () => device.write({}).then(({ accepted }) => accepted))
    const { body } = await ask('GET', `/devices/${deviceId}/check_results?query=status:failing`)
    assert.deepEqual(
      body.data.map(({ check_id }: { check_id: string }) => check_id),
      [checkId],
    )
    const change = { remediation_strategy: 'block_immediately' }
    assert.equal((await ask('PATCH', `/checks/${checkId}/configurations`, change)).status, 200)
    const isBlocked = async () => (await ask('GET', `/devices/${deviceId}`)).body.auth_state === 'Blocked'
    const blockedMs = await until(0, isBlocked, 250)
    t.diagnostic(`blocked after ${Math.round(blockedMs)} ms`)
  })

  await t.test('processes, also idle ones, stop beside connections that are silent', async () => {
    const idle = await place.start(['serve', '--no-worker'])
    const running = load.begin()
    await pause(1_000)
    await Promise.all(Array.from({ length: 5 }, () => idle.ask('GET', '/whoami', { key: place.key })))
    proxy.freeze()
    const startedAt = performance.now()
    const stop = async (name: string, muster: MusterProcess) => {
      assert.equal(await muster.stop(), 0, name)
      t.diagnostic(`${name} ended after ${Math.round(performance.now() - startedAt)} ms`)
    }
    await Promise.all([stop('the server', server), stop('a server that was idle', idle), stop('the worker', worker)])
    await running.end()
  })
})

const describe = (statuses: Map<number, number>) => JSON.stringify(Object.fromEntries(statuses))

/** A copy of the primary that follows it; its URL. */
async function startStandby(hooks: Hooks, cluster: OwnCluster): Promise<string> {
  const folder = join(dirname(cluster.data), 'standby')
  await cluster.run('pg_basebackup', '-d', cluster.url, '-D', folder, '-R', '--checkpoint=fast', '--no-sync')
  const port = await freePort()
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories= -c max_connections=200`
  const control = (...words: string[]) => cluster.run('pg_ctl', '-D', folder, '-s', '-w', ...words)
  hooks.after(async () => void (await control('-m', 'immediate', 'stop')))
  await control('-l', join(folder, 'log'), '-o', settings, 'start')
  return Object.assign(new URL(cluster.url), { port: String(port) }).href
}
