import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { testAgents } from '../../../test/support/agent-server.ts'
import { type HeldRequest, heldRequest } from '../../../test/support/held-request.ts'
import { makeIn } from '../../../test/support/make.ts'
import { enrollBody } from '../../../test/support/osquery-client.ts'
import { type BodyLimits, bodyLimits } from './bodies/body-limits.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const mebibyte = 2 ** 20
const logPath = '/api/v1/osquery/log'
const filler = Buffer.alloc(16 * mebibyte, 'x')

/** Sends everything of a body but its last byte, as fast as the server takes it. */
async function holdBack(path: string, length: number, start = '{"data":"'): Promise<HeldRequest> {
  const held = heldRequest(agents.server.origin, path, { 'content-length': length })
  await held.send(start)
  void held.send(filler.subarray(0, length - 1 - start.length))
  return held
}

const holdBackMany = (count: number, path: string, length: number) =>
  Promise.all(Array.from({ length: count }, () => holdBack(path, length)))

const largeWrite = (bytes: number) => ({ queries: { 'check/1/v1': [{ text: 'x'.repeat(bytes) }] }, statuses: {} })
const largeLog = Array.from({ length: 2_000 }, (_, line) => ({ name: `report/${line}`, action: 'added' }))

test('111 strangers who hold back the last byte do not stop agents of either kind, nor an enrollment', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const current = await agents.enrolled(organizationId, { serial: 'CURRENT1' })
  const old = await agents.enrolled(
    organizationId,
    { serial: 'OLDER001' },
    { sendsHeader: false, compressesLogs: true, keepsConnection: true },
  )
  await old.client.read()
  const held = [
    ...(await holdBackMany(12, logPath, 16 * mebibyte)),
    ...(await holdBackMany(17, logPath, mebibyte)),
    ...(await holdBackMany(17, logPath, 64 * 1024)),
    ...(await holdBackMany(65, logPath, 1024)),
    ...(await holdBackMany(40, '/api/v1/osquery/enroll', 64 * 1024)),
  ]
  try {
    for (let round = 0; round < 5; round += 1) {
      for (const { client } of [current, old]) {
        const key = { node_key: client.nodeKey }
        const verdicts = [
          (await client.read()).verdict,
          await client.config(),
          await client.log('result', largeLog),
          await client.call('/distributed/write', { ...largeWrite(2 * mebibyte), ...key }),
        ]
        assert.deepEqual(
          verdicts.map(({ status, text }) => [status, text.includes('error')]),
          [200, 200, 200, 200].map((status) => [status, false]),
        )
      }
      const newcomer = agents.client()
      assert.ok((await newcomer.enroll(secret, { serial: `NEW${round}`, uuid: `0000000${round}-1-1-1-1` })).accepted)
    }
  } finally {
    for (const one of held) one.end()
  }
  const statuses = await Promise.all(held.map(({ status }) => status))
  assert.ok(!statuses.includes(200), 'nobody who has no key is taken in')
})

test('a large body is told by the key at its start, at its end, on its connection or in its network', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId, {}, { sendsHeader: false })
  const node_key = client.nodeKey
  const fresh = () => agents.client({ sendsHeader: false })
  const write = '/distributed/write'
  const atEnd = (bytes: number) => ({ ...largeWrite(bytes), node_key })
  assert.equal((await fresh().call('/log', { node_key, log_type: 'result', data: largeLog })).text, '{}')
  assert.equal((await fresh().call(write, atEnd(900_000))).text, '{}', 'found at its end')
  const elsewhere = await agents.another()
  const tooLarge = await elsewhere.client({ sendsHeader: false }).call(write, atEnd(3 * mebibyte))
  assert.equal(tooLarge.status, 413, 'this process has not heard of the agent yet')
  const known = elsewhere.client({ sendsHeader: false })
  known.nodeKey = node_key
  assert.ok((await known.read()).verdict.accepted)
  assert.equal((await known.call(write, atEnd(3 * mebibyte))).text, '{}', 'its own connection vouches for it')
  const later = elsewhere.client({ sendsHeader: false })
  assert.equal((await later.call(write, atEnd(3 * mebibyte))).text, '{}', 'its network vouches for it')
  const middle = { ...largeWrite(100_000), node_key, stats: {} }
  assert.equal((await known.call(write, middle)).status, 400, 'osquery never has its key in the middle')
})

test('an unknown node key in a large body is told so before the body is complete', async () => {
  const body = `{"node_key":"${'k'.repeat(43)}","log_type":"result","data":["`
  const held = await holdBack(logPath, mebibyte, body)
  assert.equal(await held.status, 401)
  held.end()
})

test('what strangers compress is not inflated', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId, {}, { sendsHeader: false })
  const text = Buffer.from(`{"log_type":"result","data":["${' '.repeat(60 * mebibyte)}"]}`)
  const bomb = gzipSync(text)
  const stranger = agents.client()
  const headers = { 'content-encoding': 'gzip' }
  const spentMs = async (work: () => Promise<unknown>) => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  await stranger.call('/log', bomb, headers)
  const oneMs = await spentMs(async () => JSON.parse(gunzipSync(bomb).toString()))
  const allMs = await spentMs(async () => {
    for (let count = 0; count < 20; count += 1) assert.equal((await stranger.call('/log', bomb, headers)).status, 400)
  })
  assert.ok(allMs < oneMs * 5, `20 requests took ${allMs} ms of processor time, inflating and parsing one ${oneMs} ms`)
  const unknown = gzipSync(Buffer.concat([Buffer.from(`{"node_key":"${'k'.repeat(43)}",`), text.subarray(1)]))
  assert.equal((await stranger.call('/log', unknown, headers)).status, 401)
  const known = gzipSync(Buffer.from(JSON.stringify({ node_key: client.nodeKey, log_type: 'result', data: largeLog })))
  assert.equal((await stranger.call('/log', known, headers)).text, '{}')
})

const hasty: BodyLimits = {
  ...bodyLimits,
  strangerPace: { graceMs: 200, minBytesPerSecond: mebibyte, maxMs: 60_000 },
  knownPace: { graceMs: 200, minBytesPerSecond: mebibyte, maxMs: 60_000 },
}

test('a body that drips is refused, and its connection ends', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const { origin } = await agents.another(undefined, hasty)
  const known = { authorization: `NodeKey ${client.nodeKey}` }
  const requests = [
    [logPath, {}],
    [logPath, known],
    ['/api/v1/osquery/enroll', {}],
    ['/api/v1/osquery/distributed/write', {}],
  ] as const
  await Promise.all(
    requests.map(async ([path, headers]) => {
      const held = heldRequest(origin, path, { 'content-length': 1_000, ...headers })
      await held.send('{')
      assert.equal(await held.status, 408, path)
      await held.closed
    }),
  )
})

test('a client that hangs up gives its memory back', async () => {
  const server = await agents.another(undefined, { ...hasty, strangerPace: bodyLimits.strangerPace })
  const { bodyBytes } = server.agents.context.metrics
  const bytesHeld = async () => (await bodyBytes.get()).values.reduce((sum, { value }) => sum + value, 0)
  const held = heldRequest(server.origin, logPath, { 'content-length': 500_000 })
  await held.send(filler.subarray(0, 400_000))
  while ((await bytesHeld()) < 400_000) await new Promise((resolve) => setTimeout(resolve, 10))
  held.end()
  while ((await bytesHeld()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
})

test('made-up node keys of one address are refused after a while, and no key that Muster has made', async () => {
  const { id: organizationId } = await make.organization()
  const { client } = await agents.enrolled(organizationId)
  const restarted = await agents.another()
  const stranger = restarted.client()
  const unknown = { node_key: 'k'.repeat(43) }
  assert.equal((await stranger.call('/config', unknown)).status, 401)
  for (let failures = 0; failures < 1_100; failures += 1) restarted.agents.context.unknownNodeKeys.spend('127.0.0.1')
  const { status, text } = await stranger.call('/config', unknown)
  const error = 'Too many unknown node keys came from this address. Try again later.'
  assert.deepEqual([status, JSON.parse(text)], [429, { error, node_invalid: false }])
  const again = restarted.client()
  again.nodeKey = client.nodeKey
  assert.ok((await again.config()).accepted)
})

test('wrong secrets of one address are refused after a while, and not the one that is in use there', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const server = await agents.another()
  const enroll = async (enrollSecret: string, serial: string) =>
    (await server.client().call('/enroll', enrollBody(enrollSecret, { serial }))).status
  assert.equal(await enroll(secret, 'S1'), 200)
  assert.equal(await enroll('no secret of ours', 'S2'), 401)
  for (let failures = 0; failures < 300; failures += 1) server.agents.context.failedEnrollments.spend('127.0.0.1')
  assert.equal(await enroll('no secret of ours', 'S2'), 429)
  assert.equal(await enroll(secret, 'S3'), 200)
  agents.pass(200)
  assert.equal(await enroll('no secret of ours', 'S2'), 401)
})

test('a revoked secret enrolls nothing, however recently it was active', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  assert.ok((await agents.client().enroll(secret)).accepted)
  await database.db.updateTable('enrollment_secrets').set({ revoked_at: agents.now() }).execute()
  assert.equal((await agents.client().enroll(secret)).status, 401)
})
