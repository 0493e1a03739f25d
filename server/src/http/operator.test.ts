import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { testApp } from '../../test/support/app.ts'
import { buildApp } from '../app.ts'
import { connectEmbedded, connectPostgres } from '../base/db/connect.ts'
import { createLogger } from '../base/logging.ts'
import { openPage } from './caller-scheme.ts'

const metricsToken = 'metrics-token-1'
let isBroken = false
let silence: string | undefined
const trial = testApp({
  env: { MUSTER_METRICS_TOKEN: metricsToken },
  healthChecks: {
    worker: async () => {
      if (isBroken) throw new Error('the secret reason')
    },
    background: async () => silence,
  },
})
const ask = (url: string, headers: Record<string, string> = {}) => trial.ask('GET', url, { key: undefined, headers })

const silent = createLogger('silent')
const partsOf = () => {
  const { config, database, secrets, now: clock } = trial
  return {
    config: { ...config, metricsToken: undefined },
    connection: database.connection,
    secrets,
    clock,
    log: silent,
  }
}

test('the health names each part and whether it works, without the words of its error', async () => {
  const well = await ask('/healthz')
  assert.equal(well.status, 200)
  assert.deepEqual(Object.keys(well.body.checks), ['database', 'requests', 'worker', 'background'])
  assert.deepEqual(
    [well.body.status, well.body.checks.database.status, well.body.checks.worker.status],
    ['pass', 'pass', 'pass'],
  )
  assert.deepEqual([(await ask('/readyz')).status, (await ask('/readyz')).body], [200, { status: 'ready' }])
  isBroken = true
  const broken = await ask('/healthz')
  const ready = await ask('/readyz')
  isBroken = false
  assert.equal(broken.status, 503)
  assert.deepEqual(
    [broken.body.status, broken.body.checks.database.status, broken.body.checks.worker.status],
    ['fail', 'pass', 'fail'],
  )
  assert.equal(broken.body.checks.worker.reason, 'It cannot be reached. The log of the server says why.')
  assert.doesNotMatch(JSON.stringify(broken.body), /secret/)
  assert.deepEqual([ready.status, ready.body], [503, { status: 'not ready' }])
})

test('a part that knows what is wrong says so, and the process lives on', async () => {
  silence = 'No worker for 31 s.'
  const { status, body } = await ask('/healthz')
  const ready = await ask('/readyz')
  const alive = await ask('/livez')
  silence = undefined
  assert.equal(status, 503)
  assert.deepEqual([body.checks.background.status, body.checks.background.reason], ['fail', 'No worker for 31 s.'])
  assert.deepEqual([ready.status, alive.status, alive.body], [503, 200, { status: 'alive' }])
})

test('the version is told to everyone', async () => {
  const { status, body } = await ask('/version')
  assert.equal(status, 200)
  assert.match(body.version, /^\d+\.\d+\.\d+$/)
})

test('a server that is about to stop says that it is not ready, and still answers', async () => {
  const app = buildApp(partsOf())
  const statusOf = async (url: string) => (await app.inject({ url })).statusCode
  assert.equal(await statusOf('/readyz'), 200)
  app.drain()
  assert.deepEqual([await statusOf('/readyz'), await statusOf('/livez'), await statusOf('/healthz')], [503, 200, 200])
  const whoami = await app.inject({ url: '/whoami', headers: { authorization: `Bearer ${trial.tenant.key}` } })
  assert.equal(whoami.statusCode, 200)
  await app.close()
})

test('the metrics tell how the deployment stands', async () => {
  const { body } = await ask('/metrics', { authorization: `Bearer ${metricsToken}` })
  assert.match(body, /^muster_devices\{state="blocked"\} \d+$/m)
  assert.match(body, /^muster_workers 0$/m)
  assert.doesNotMatch(body, /^muster_background_silence_seconds /m)
  assert.match(body, /^muster_build_info\{version="\d+\.\d+\.\d+"\} 1$/m)
  assert.match(body, /^muster_healthy\{check="database"\} 1$/m)
  assert.match(body, /^muster_database_size_bytes [1-9]\d+$/m)
})

test('without its database every call is a 503, and so is the health, and metrics lack what they cannot know', async () => {
  const { url } = trial.database
  const connection = url === undefined ? await connectEmbedded() : await connectPostgres({ url, maxConnections: 1 })
  const app = buildApp({ ...partsOf(), connection })
  await connection.close()
  const headers = { authorization: `Bearer ${trial.tenant.key}` }
  for (const path of ['/whoami', '/audit_logs']) {
    const answer = await app.inject({ url: path, headers })
    const message = 'The service is unavailable right now. Try again soon.'
    assert.deepEqual([answer.statusCode, answer.json()], [503, { error: 'unavailable', message }])
    assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/)
  }
  const health = await app.inject({ url: '/healthz' })
  assert.deepEqual([health.statusCode, health.json().checks.database.status], [503, 'fail'])
  const metrics = await app.inject({ url: '/metrics' })
  assert.equal(metrics.statusCode, 200)
  assert.match(metrics.body, /^muster_healthy\{check="database"\} 0$/m)
  assert.doesNotMatch(metrics.body, /^muster_(?:workers|open_issues|devices|background_silence_seconds)[ {]/m)
  await app.close()
})

test('metrics need their token where one is set', async () => {
  for (const authorization of ['', 'Bearer x', metricsToken]) {
    assert.equal((await ask('/metrics', { authorization })).status, 401)
  }
  await ask('/whoami')
  const { status, body } = await ask('/metrics', { authorization: `Bearer ${metricsToken}` })
  assert.equal(status, 200)
  assert.match(body, /muster_http_requests_total\{method="GET",route="\/whoami",status="401"\} \d+/)
  assert.match(body, /muster_http_request_duration_seconds_count\{method="GET",route="\/whoami"\} \d+/)
  assert.match(body, /nodejs_eventloop_lag_seconds/)
})

test('metrics grow with the routes there are, not with what strangers send', async () => {
  const app = buildApp(partsOf())
  await app.ready()
  const series = async () => {
    const { body } = await app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    return body.split('\n').filter((line) => line.startsWith('muster_http_')).length
  }
  await app.inject({ url: '/none/at/all' })
  await app.inject({ url: '/whoami' })
  const before = await series()
  const methods = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'] as const
  for (const method of methods) await app.inject({ method, url: `/none/${method}?x=1` })
  for (let index = 0; index < 50; index += 1) await app.inject({ url: `/n${index}/x%20y` })
  await app.inject({ method: 'HEAD', url: '/whoami', headers: { authorization: 'Bearer x' } })
  // One more: of the request for the metrics themselves, and of a form in which a path was refused.
  assert.ok((await series()) - before <= 15, `${before} and ${await series()}`)
  await app.close()
})

test('metrics without a token are for this machine only', async () => {
  const app = buildApp(partsOf())
  const from = async (remoteAddress: string) => (await app.inject({ url: '/metrics', remoteAddress })).statusCode
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) assert.equal(await from(address), 200)
  for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1']) assert.equal(await from(address), 404)
  await app.close()
})

test('metrics without a token are not for those behind a proxy on this machine', async () => {
  const parts = partsOf()
  for (const trustProxy of [true, false]) {
    const app = buildApp({ ...parts, config: { ...parts.config, trustProxy } })
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9' },
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-real-ip': '203.0.113.9' },
      { via: '1.1 proxy' },
    ]) {
      const { statusCode } = await app.inject({ url: '/metrics', headers })
      assert.equal(statusCode, 404, `${trustProxy} ${JSON.stringify(headers)}`)
    }
    await app.close()
  }
})

test('a stop answers what is under way, on connections that end after that, and takes nothing new', async () => {
  const app = buildApp(partsOf())
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  app.get('/slow', { config: openPage }, async () => {
    begin()
    await pause(300)
    return { done: true }
  })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  // Leaves an idle kept-alive connection behind, which its client never ends.
  const idle = connect(Number(new URL(address).port), '127.0.0.1')
  idle.write('GET /healthz HTTP/1.1\r\nHost: muster.test\r\n\r\n')
  const [head] = await once(idle, 'data')
  assert.match(String(head), /^connection: keep-alive/im)
  const answer = fetch(`${address}/slow`)
  await begun
  const closed = app.close()
  const { status, headers } = await answer
  assert.deepEqual([status, headers.get('connection')], [200, 'close'])
  await closed
  await assert.rejects(fetch(`${address}/healthz`))
})

test('while the server drains, every answer is the last of its connection, early ones and those under way too', async (t) => {
  const app = buildApp(partsOf())
  t.after(() => app.close())
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  app.get('/held', { config: openPage }, async () => {
    begun.resolve()
    await held.promise
    return { done: true }
  })
  app.earlyAnswers.add('/early', { ofHeaders: () => '{}', ofBody: () => undefined })
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const open = () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8')
    const ask = (line: string) => socket.write(`${line} HTTP/1.1\r\nHost: muster.test\r\nContent-Length: 0\r\n\r\n`)
    const answer = async () => String((await once(socket, 'data'))[0])
    const ended = new Promise<void>((resolve) => socket.once('end', resolve))
    return { ask, answer, ended }
  }
  const isLast = /^HTTP\/1\.1 \d+ .+\r\n(?:.+\r\n)*connection: close\r\n/i
  const waiting = open()
  waiting.ask('GET /held')
  await begun.promise
  const lines = ['GET /livez', 'GET /none', 'POST /early', 'POST /log']
  const connections = lines.map((line) => ({ line, ...open() }))
  for (const { line, ask, answer } of connections) {
    ask(line)
    const text = await answer()
    assert.doesNotMatch(text, isLast, line)
    if (line === 'POST /early') assert.match(text, /\{\}$/)
  }
  app.drain()
  held.resolve()
  assert.match(await waiting.answer(), isLast)
  await waiting.ended
  for (const { line, ask, answer, ended } of connections) {
    ask(line)
    assert.match(await answer(), isLast, line)
    await ended
  }
})
