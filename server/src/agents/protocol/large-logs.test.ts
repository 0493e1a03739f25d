import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { testAgents } from '../../../test/support/agent-server.ts'
import { heldRequest } from '../../../test/support/held-request.ts'
import { makeIn } from '../../../test/support/make.ts'
import { inventoryQueries } from '../../reporting/catalogue/catalogue.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(async () => {
  await agents.reset()
  agents.server.logged.length = 0
})

const mebibyte = 2 ** 20
const gzip = { 'content-encoding': 'gzip' }

const line = (table: string, rows: unknown): string =>
  JSON.stringify({
    name: `report/${table}/${inventoryQueries.linux.get(table)?.version}`,
    unixTime: Math.floor(Date.parse(agents.now()) / 1000),
    action: 'snapshot',
    snapshot: rows,
  })

const uptime = () => line('device_uptime', [{ days: '3' }])
const usersOf = (shell: string, count: number) =>
  line(
    'device_users',
    Array.from({ length: count }, (_, at) => ({
      uid: `${at}`,
      username: `u${at}`,
      directory: `/home/${'d'.repeat(70)}${at}`,
      shell,
    })),
  )

const logOf = (nodeKey: string, lines: readonly string[], type = 'result'): Buffer =>
  Buffer.from(`{"node_key":"${nodeKey}","log_type":"${type}","data":[${lines.join(',')}]}`)

const rowsOf = async (deviceId: string, table: string) => {
  const rows = await database.db
    .selectFrom('device_snapshot_rows')
    .select('content')
    .where('device_id', '=', deviceId)
    .where('reporting_table', '=', table)
    .execute()
  return rows.map(({ content }) => content)
}

const drained = async () => {
  const { values } = await agents.context.metrics.drainedLogs.get()
  const of = (reason: string) => values.find(({ labels }) => labels.reason === reason)?.value ?? 0
  return { too_large: of('too_large'), unreadable: of('unreadable'), unknown: of('unknown') }
}

/** By how much the counts grow while `work` is done. */
async function drainedBy(work: () => Promise<unknown>) {
  const before = await drained()
  await work()
  const after = await drained()
  return {
    too_large: after.too_large - before.too_large,
    unreadable: after.unreadable - before.unreadable,
    unknown: after.unknown - before.unknown,
  }
}

/** The memory of bodies, which is told twice a second. */
async function heldBytes(): Promise<number> {
  const { values } = await agents.context.metrics.bodyBytes.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

const chunkBytes = 64 * 1024

/** Sends a log, and holds back its last byte until it is known what memory the others have taken. */
async function sendWatched(body: Buffer, headers: Record<string, string>): Promise<void> {
  const held = heldRequest(agents.server.origin, '/api/v1/osquery/log', { 'content-length': body.length, ...headers })
  void held.send(body.subarray(0, -1))
  const most = Math.min(body.length - 1, 16 * mebibyte)
  while ((await heldBytes()) < most) await pause(10)
  assert.ok((await heldBytes()) <= most + chunkBytes, `${await heldBytes()} bytes`)
  await held.send(body.subarray(-1))
  assert.equal(await held.status, 200)
  held.end()
  while ((await heldBytes()) > 0) await pause(10)
}

const cutMessage = 'a log was longer than is taken: its last lines were dropped'

async function enrolled() {
  const organization = await make.organization({ disabled_features: [] })
  const device = await agents.enrolled(organization.id)
  return { ...device, place: { organizationId: organization.id, deviceId: device.deviceId } }
}

const ways: [what: string, sendsHeader: boolean, isCompressed: boolean][] = [
  ['compressed, with the node key in the header', true, true],
  ['compressed, with the node key in the body', false, true],
  ['plain, with the node key in the header', true, false],
  ['plain, with the node key in the body', false, false],
]
for (const [what, sendsHeader, isCompressed] of ways) {
  test(`of a log of 17 MB, ${what}, the lines that fit are stored`, async () => {
    const { client, deviceId, place } = await enrolled()
    const text = logOf(client.nodeKey, [uptime(), usersOf('/bin/first', 58_000), usersOf('/bin/later', 58_000)])
    assert.ok(text.length > 17_000_000 && text.length < 18_500_000, `${text.length} bytes`)
    const body = isCompressed ? gzipSync(text, { level: 1 }) : text
    const headers = {
      ...(isCompressed && gzip),
      ...(sendsHeader && { authorization: `NodeKey ${client.nodeKey}` }),
    }
    const counts = await drainedBy(() => sendWatched(body, headers))
    assert.deepEqual(counts, { too_large: 1, unreadable: 0, unknown: 0 })
    assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
    const users = await rowsOf(deviceId, 'device_users')
    assert.equal(users.length, 10_000)
    assert.ok(users.every(({ shell }) => shell === '/bin/first'))
    assert.deepEqual(
      agents.server.logged.filter(({ message }) => message === cutMessage),
      [{ message: cutMessage, fields: { ...place, type: 'result', takenLines: 2, bytes: 16 * mebibyte } }],
    )
    assert.ok((await client.config()).accepted)
  })
}

const crowd = (count: number, item: string) => `[${`${item},`.repeat(count)}${item}]`
const names = (count: number) => `{${Array.from({ length: count }, (_, at) => `"n${at}":1`).join(',')}}`

const beyond: [what: string, line: () => string][] = [
  ['rows', () => `{"snapshot":${crowd(200_000, '{}')}}`],
  ['values', () => `{"snapshot":[${crowd(1_500_000, '1')}]}`],
  ['columns of a row', () => `{"snapshot":[${names(20_000)}]}`],
  ['levels', () => `{"snapshot":${'['.repeat(40_000)}${']'.repeat(40_000)}}`],
  ['blanks, as in a bomb,', () => `{"snapshot":"${' '.repeat(64 * mebibyte)}"}`],
]
for (const [what, tooLarge] of beyond) {
  test(`a line with too many ${what} does not cost those before it`, async () => {
    const { client, deviceId, place } = await enrolled()
    const text = logOf(client.nodeKey, [uptime(), usersOf('/bin/first', 2), tooLarge(), usersOf('/bin/later', 2)])
    const body = gzipSync(text)
    const counts = await drainedBy(async () => {
      const { status, text: answer } = await client.call('/log', body, gzip)
      assert.deepEqual([status, answer], [200, '{}'])
    })
    assert.deepEqual(counts, { too_large: 1, unreadable: 0, unknown: 0 })
    assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
    assert.deepEqual(
      (await rowsOf(deviceId, 'device_users')).map(({ shell }) => shell),
      ['/bin/first', '/bin/first'],
    )
    const bytes = Math.min(text.length, Math.max(mebibyte, 200 * body.length))
    assert.deepEqual(
      agents.server.logged.map(({ message, fields }) => [message, fields]),
      [[cutMessage, { ...place, type: 'result', takenLines: 2, bytes }]],
    )
  })
}

test('of a log whose first line alone is too large nothing is taken, and the warning says so', async () => {
  const { client, place } = await enrolled()
  const body = logOf(client.nodeKey, [`"${'x'.repeat(16 * mebibyte)}"`, uptime()])
  const counts = await drainedBy(async () => assert.equal((await client.call('/log', body)).text, '{}'))
  assert.equal(counts.too_large, 1)
  assert.deepEqual(
    agents.server.logged.map(({ message, fields }) => [message, fields]),
    [[cutMessage, { ...place, type: 'result', takenLines: 0, bytes: 16 * mebibyte }]],
  )
  assert.equal((await database.db.selectFrom('device_snapshots').select('reporting_table').execute()).length, 0)
})

test('a character that is cut in half is no fault of the agent', async () => {
  const { client } = await enrolled()
  const replaced = async () => (await agents.context.metrics.replacedBodies.get()).values[0]?.value ?? 0
  const before = await replaced()
  for (const blank of ['', ' ']) {
    const body = logOf(client.nodeKey, [uptime(), `${blank}"${'é'.repeat(8 * mebibyte)}"`])
    assert.equal((await client.call('/log', body)).text, '{}')
  }
  assert.equal(await replaced(), before)
})

test('errors are counted among the status lines that fit', async () => {
  const { client } = await enrolled()
  const errors = async () => {
    const { values } = await agents.context.metrics.statusLines.get()
    return values.find(({ labels }) => labels.severity === 'error')?.value ?? 0
  }
  const before = await errors()
  const error = JSON.stringify({ severity: 2, message: 'x'.repeat(mebibyte) })
  const lines = Array.from({ length: 17 }, () => error)
  assert.equal((await client.call('/log', logOf(client.nodeKey, lines, 'status'))).text, '{}')
  assert.equal((await errors()) - before, 15)
  assert.equal(agents.server.logged.at(-1)?.fields['type'], 'status')
})

test('what cannot be read is told with its device, and of strangers only counted', async () => {
  const { client, place } = await enrolled()
  const zipped = gzipSync(logOf(client.nodeKey, [uptime()]))
  const unreadable: [Buffer, Record<string, string>][] = [
    [Buffer.from(''), {}],
    [Buffer.from('{"node_key":'), {}],
    [Buffer.from('[1]'), {}],
    [Buffer.from('{"log_type":"result","data":"none"}'), {}],
    [zipped.subarray(0, 60), gzip],
  ]
  for (const [body, headers] of unreadable) {
    agents.server.logged.length = 0
    const counts = await drainedBy(async () => assert.equal((await client.call('/log', body, headers)).text, '{}'))
    assert.deepEqual(counts, { too_large: 0, unreadable: 1, unknown: 0 })
    assert.deepEqual(agents.server.logged, [
      { message: 'a log could not be read: its lines were dropped', fields: { ...place, bytes: body.length } },
    ])
  }
  agents.server.logged.length = 0
  const stranger = agents.client()
  const counts = await drainedBy(async () => {
    assert.equal((await stranger.call('/log', Buffer.from('nonsense'))).text, '{}')
  })
  assert.deepEqual([counts, agents.server.logged], [{ too_large: 0, unreadable: 0, unknown: 1 }, []])
})

test('while the database is away the agent keeps a log that is too large, too', async () => {
  const { client, deviceId } = await enrolled()
  const body = logOf(client.nodeKey, [uptime(), `"${'x'.repeat(16 * mebibyte)}"`])
  await client.config()
  await database.connection.executeScript(`
    create function refuse_snapshots() returns trigger language plpgsql as $$
    begin raise exception 'going down' using errcode = '57P01'; end $$;
    create trigger refuse before insert on device_snapshots execute function refuse_snapshots()`)
  try {
    assert.equal((await client.call('/log', body)).status, 503)
  } finally {
    await database.connection.executeScript('drop trigger refuse on device_snapshots; drop function refuse_snapshots()')
  }
  assert.ok(!agents.server.logged.some(({ message }) => message === cutMessage), 'nothing is dropped yet')
  assert.equal((await client.call('/log', body)).text, '{}')
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
})
