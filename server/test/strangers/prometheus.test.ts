// Party: Prometheus: prometheus promtool=prometheus
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { type Connection, connectPostgres } from '../../src/base/db/connect.ts'
import { type OwnCluster, openOwnCluster } from '../processes/own-cluster.ts'
import { freePort, type MusterProcess, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { alertsFile, deployFolder, queriesOf, readAlerts, readDashboards } from '../support/shipped-queries.ts'
import { openPrometheus } from './prometheus-server.ts'

/** What nothing happens of in a small installation that is well, by the title of its panel. */
const mayBeEmpty = new Set([
  'Bodies not taken',
  'Tables',
  'Errors that agents logged',
  'Reasons of failures',
  'Requests that began no sign-in',
  'Requests of the pages',
  'Time of the pages',
  'Errors by route',
  'Heap of the embedded database',
])

const token = 'metrics-token-of-a-test'
const endings: (() => Promise<void>)[] = []
const hooks = { after: (work: () => Promise<void>) => void endings.unshift(work) }
let cluster: OwnCluster
let own: Connection
let server: MusterProcess
let prometheus: Awaited<ReturnType<typeof openPrometheus>>
let origins: { server: string; worker: string }

before(async () => {
  const opened = await openOwnCluster(hooks)
  assert.ok(opened, 'PostgreSQL is not installed')
  cluster = opened
  own = await connectPostgres({ url: cluster.url })
  const place = openPostgresPlace(hooks, { url: cluster.url, db: own.db }, { MUSTER_METRICS_TOKEN: token })
  server = await place.start(['serve', '--no-worker'])
  const workerPort = await freePort()
  await place.startWorker({ MUSTER_WORKER_PORT: String(workerPort) })
  origins = { server: `127.0.0.1:${new URL(server.origin).port}`, worker: `127.0.0.1:${workerPort}` }
  prometheus = await openPrometheus({ port: await freePort(), token, ...origins })
  hooks.after(() => prometheus.stop())
  const client = osqueryClient(`http://${origins.server}`)
  hooks.after(async () => client.close())
  assert.ok((await client.enroll(place.enrollSecret)).accepted)
  await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))
})

after(async () => {
  await own.close()
  for (const end of endings) await end()
})

function promtool(args: readonly string[], input = ''): string[] {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  const lines = `${stdout}${stderr}`.trim().split('\n')
  return status === 0 ? [] : lines
}

test('promtool finds no fault in the alerts, their tests, and the documented configuration', () => {
  assert.deepEqual(promtool(['check', 'rules', alertsFile]), [])
  assert.deepEqual(promtool(['test', 'rules', `${deployFolder}/prometheus/alerts.test.yaml`]), [])
  assert.deepEqual(promtool(['check', 'config', prometheus.configuration]), [])
})

test('promtool finds no fault in the metrics of a server and of a worker', async () => {
  for (const origin of Object.values(origins)) {
    const answer = await fetch(`http://${origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    const faults = promtool(['check', 'metrics'], await answer.text())
    // Those of prom-client itself.
    assert.deepEqual(
      faults.filter((line) => !line.startsWith('nodejs_')),
      [],
    )
  }
})

test('a Prometheus that is set up as documented reaches the server and the worker', async () => {
  const isUp = async () => (await prometheus.targets()).filter(({ health }) => health === 'up').length === 2
  await until(60_000, isUp)
  const targets = (await prometheus.targets()).map(({ labels: { job, instance } }) => [job, instance])
  assert.deepEqual(targets.toSorted(), [
    ['muster', origins.server],
    ['muster-worker', origins.worker],
  ])
})

test('every query of the dashboards is understood, and has data unless nothing of it happens', async () => {
  const queries = queriesOf(await readDashboards())
  let empty: string[] = []
  const isAnswered = async () => {
    const counts = await Promise.all(queries.map(async ({ expr }) => (await prometheus.query(expr)).length))
    empty = queries.filter((_, index) => counts[index] === 0).map(({ where }) => where)
    return empty.every((where) => mayBeEmpty.has(where.split(': ')[1] ?? ''))
  }
  await until(60_000, isAnswered).catch((error: unknown) => assert.fail(`${error}: ${empty}`))
})

const named = async (name: string) => (await prometheus.alerts()).filter(({ labels }) => labels['alertname'] === name)

test('every alert is evaluated, and none is active while all is well', async () => {
  const names = (await readAlerts()).map(({ name }) => name)
  const evaluated = async () => (await prometheus.rules()).filter(({ health }) => health === 'ok')
  await until(60_000, async () => (await evaluated()).length === names.length)
  assert.deepEqual(
    (await evaluated()).map(({ name }) => name),
    names,
  )
  await until(60_000, async () => (await prometheus.alerts()).length === 0)
})

test('a database that is away is told from a process that is', async () => {
  await cluster.stop()
  await until(60_000, async () => (await named('MusterDatabaseUnavailable')).length === 1)
  assert.deepEqual(await named('MusterNoWorker'), [])
  await cluster.start()
  await until(60_000, async () => (await prometheus.alerts()).length === 0)
})

test('a server that has stopped raises MusterDown, whose link leads to the runbook', async () => {
  await server.stop()
  await until(60_000, async () => (await named('MusterDown')).length === 1)
  const [alert] = await named('MusterDown')
  assert.deepEqual([alert?.state, alert?.labels['instance']], ['pending', origins.server])
  assert.equal(alert?.annotations['runbook_url'], 'https://muster.example.com/docs/guides/metrics#musterdown')
})
