import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { deviceConfig } from './device-config.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const bases = ['/api/v1/osquery', '/api/osquery']
const endpoints = ['/config', '/distributed/read', '/distributed/write', '/log']

for (const basePath of bases) {
  test(`an agent works under ${basePath}`, async () => {
    const { id: organizationId } = await make.organization()
    const { client } = await agents.enrolled(organizationId, {}, { basePath })
    assert.equal((await client.config()).status, 200)
    assert.equal((await client.read()).verdict.text, '{"queries":{},"node_invalid":false}')
    assert.equal((await client.write({})).text, '{}')
    assert.equal((await client.log('result', [])).text, '{}')
  })
}

test('the configuration turns distributed queries on, and the intervals differ from device to device', async () => {
  const { id: organizationId } = await make.organization()
  const intervals = new Set<unknown>()
  for (let number = 0; number < 12; number += 1) {
    const { client } = await agents.enrolled(organizationId, { serial: `S${number}` })
    const verdict = await client.config()
    assert.ok(verdict.accepted)
    const { options, ...rest } = verdict.body as { options: Record<string, unknown> }
    assert.deepEqual(rest, { schedule: {}, packs: {}, node_invalid: false })
    const { distributed_interval: interval, logger_tls_backoff_max: longestPause, ...others } = options
    assert.ok(Number(interval) >= 6 && Number(interval) <= 8)
    assert.ok(Number(longestPause) >= 245 && Number(longestPause) <= 300)
    assert.deepEqual(others, {
      disable_distributed: false,
      logger_tls_period: 60,
      logger_tls_max_lines: 32,
      schedule_splay_percent: 10,
      pack_delimiter: '/',
    })
    intervals.add(interval)
  }
  assert.equal(intervals.size, 3)
})

test('devices of a large fleet ask once a minute', () => {
  const intervals = Array.from({ length: 100 }, (_, number) => {
    const { options } = JSON.parse(deviceConfig(String(number), undefined, 1_001))
    assert.equal(options.logger_tls_period, options.distributed_interval)
    return Number(options.distributed_interval)
  })
  assert.ok(intervals.every((interval) => interval >= 60 && interval < 72))
  assert.equal(new Set(intervals).size, 12)
})

test('an unknown node key is refused on every endpoint, in the header and in the body', async () => {
  const refusal = { error: 'This node key is not valid', node_invalid: true }
  const keys = ['A'.repeat(43), 'short', '../../etc/passwd', 'x'.repeat(4_000)]
  for (const path of endpoints) {
    for (const sendsHeader of [true, false]) {
      for (const key of keys) {
        const client = agents.client({ sendsHeader })
        client.nodeKey = key
        const verdict = await client.call(path, { node_key: key, log_type: 'status', data: [] })
        assert.deepEqual([verdict.status, JSON.parse(verdict.text)], [401, refusal], `${path} ${key.slice(0, 20)}`)
      }
    }
  }
  const silent = await agents.client({ sendsHeader: false }).call('/config', {})
  assert.deepEqual([silent.status, JSON.parse(silent.text)], [401, refusal])
})

test('the header counts before the body', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const withHeader = await client.call('/config', { node_key: 'A'.repeat(43) })
  assert.ok(withHeader.accepted)
  const stranger = agents.client()
  stranger.nodeKey = 'A'.repeat(43)
  const refused = await stranger.call('/config', { node_key: client.nodeKey })
  assert.equal(refused.accepted, false)
})

test('a header of another scheme is not for us: the body counts', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId, {}, { sendsHeader: false })
  const verdict = await client.call('/config', { node_key: client.nodeKey }, { authorization: 'Basic Zm9v' })
  assert.ok(verdict.accepted)
})

test('whatever goes wrong, the answer is an error that costs the agent neither data nor key', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId, {}, { sendsHeader: false })
  const large = Buffer.from(JSON.stringify({ node_key: client.nodeKey, padding: 'x'.repeat(70_000) }))
  const cases: [path: string, body: Buffer | object, headers: Record<string, string>, status: number][] = [
    ['/config', Buffer.from('{"node_key":'), {}, 400],
    ['/config', Buffer.from('[]'), {}, 400],
    ['/config', Buffer.from(''), {}, 400],
    ['/config', Buffer.from('{}'), { 'content-type': 'text/plain' }, 401],
    ['/config', large, {}, 413],
    ['/distributed/read', large, {}, 413],
    ['/enroll', large, {}, 413],
    ['/distributed/write', Buffer.from('nonsense'), {}, 400],
    ['/nothing', {}, {}, 404],
    ['', {}, {}, 404],
  ]
  for (const [path, body, headers, status] of cases) {
    const verdict = await client.call(path, body, headers)
    assert.equal(verdict.status, status, `${path} ${verdict.text}`)
    const answer = JSON.parse(verdict.text)
    assert.equal(typeof answer.error, 'string')
    assert.equal(answer.node_invalid, status === 401)
  }
  const get = await fetch(`${agents.server.origin}/api/v1/osquery/config`)
  assert.deepEqual(
    [get.status, await get.json()],
    [405, { error: 'This endpoint does not support GET', node_invalid: false }],
  )
  assert.equal(get.headers.get('allow'), 'POST, OPTIONS')
})

test('an endpoint answers on the same connection after a body that was too large', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId, {}, { sendsHeader: false })
  const huge = Buffer.from(JSON.stringify({ node_key: client.nodeKey, padding: 'x'.repeat(5_000_000) }))
  assert.equal((await client.call('/config', huge)).status, 413)
  assert.ok((await client.config()).accepted)
})

test('a write beyond all measure is dropped with a warning, as it would come again for ever', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const huge = Buffer.alloc(16 * 2 ** 20 + 1, 0x20)
  const verdict = await client.call('/distributed/write', huge)
  assert.deepEqual([verdict.status, verdict.text], [200, '{}'])
  assert.ok(
    agents.server.logged.some(({ message }) => message.startsWith('a distributed write was longer than is taken')),
  )
})

test('logs are taken plain and compressed, and errors among the status lines are counted', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const zipped = agents.client({ compressesLogs: true })
  zipped.nodeKey = client.nodeKey
  const counted = async () => {
    const { values } = await agents.context.metrics.statusLines.get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.severity, value]))
  }
  const before = await counted()
  const line = {
    hostIdentifier: 'h',
    filename: 'scheduler.cpp',
    line: 104,
    message: 'Error executing',
    version: '5.23.1',
  }
  const lines = [
    { ...line, severity: 0, unixTime: 1_760_436_000 },
    { ...line, severity: 1, unixTime: 1_760_436_000 },
    { ...line, severity: 2, unixTime: 1_760_436_000 },
    { ...line, severity: '2', unixTime: '1760436000' },
    'no line',
    null,
  ]
  assert.equal((await client.log('status', lines)).text, '{}')
  assert.equal((await zipped.log('status', lines)).text, '{}')
  const snapshot = { name: 'report/17/v3', action: 'snapshot', snapshot: [{ name: 'bash' }], unixTime: '1760436000' }
  assert.equal((await zipped.log('result', [snapshot])).text, '{}')
  assert.equal((await counted())['error'], Number(before['error'] ?? 0) + 4)
})

test('a log that cannot be used is taken off the agent all the same', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const bomb = gzipSync(Buffer.alloc(65 * 2 ** 20, 0x20))
  const crowd = gzipSync(Buffer.from(`{"data":[${'{},'.repeat(5_000_000)}{}]}`))
  const unusable: [Buffer, Record<string, string>][] = [
    [Buffer.from('{"node_key":'), {}],
    [Buffer.from(''), {}],
    [gzipSync(Buffer.from('{"node_key":"x"}')).subarray(0, 20), { 'content-encoding': 'gzip' }],
    [bomb, { 'content-encoding': 'gzip' }],
    [crowd, { 'content-encoding': 'gzip' }],
    [Buffer.alloc(17 * 2 ** 20, 0x20), {}],
  ]
  for (const [body, headers] of unusable) {
    const verdict = await client.call('/log', body, headers)
    assert.deepEqual([verdict.status, verdict.text], [200, '{}'], `${body.length} bytes`)
  }
  assert.ok((await client.config()).accepted, 'the agent is not the worse for it')
})

test('bytes that are not UTF-8 are replaced and counted: osquery would send the same again for ever', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const counted = async () => {
    const { values } = await agents.context.metrics.replacedBodies.get()
    return values[0]?.value ?? 0
  }
  const before = await counted()
  const node_key = client.nodeKey
  const status = { severity: 2, filename: 'file.cpp', line: 1, message: 'A file named über', version: '5.23.1' }
  const log = JSON.stringify({ node_key, log_type: 'status', data: [status] })
  for (const [body, headers] of [
    [Buffer.from(log, 'latin1'), {}],
    [gzipSync(Buffer.from(log, 'latin1')), { 'content-encoding': 'gzip' }],
  ] as const) {
    const verdict = await client.call('/log', body, headers)
    assert.deepEqual([verdict.status, verdict.text], [200, '{}'])
  }
  assert.equal(await counted(), before + 2)
  const write = JSON.stringify({ node_key, queries: { 'no/such/query': [{ path: '/tmp/über' }] }, statuses: {} })
  assert.ok((await client.call('/distributed/write', Buffer.from(write, 'latin1'), {})).accepted)
  assert.equal(await counted(), before + 3)
  await client.call('/log', Buffer.from(log), {})
  assert.equal(await counted(), before + 3, 'what is UTF-8 is not counted')
})

test('when a device last spoke is remembered, and written with the next batch', async () => {
  const { id: organizationId } = await make.organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  await agents.server.agents.flush()
  const stored = () => database.db.selectFrom('device_presence').selectAll().execute()
  const row = { organization_id: organizationId, device_id: deviceId }
  assert.deepEqual(await stored(), [], 'who only enrolled has not reported')
  for (const speak of [
    () => client.read(),
    () => client.config(),
    () => client.log('status', []),
    () => client.write({}),
  ]) {
    const last_seen_at = agents.pass(30)
    await speak()
    await agents.server.agents.flush()
    assert.deepEqual(await stored(), [{ ...row, last_seen_at }])
  }
})
