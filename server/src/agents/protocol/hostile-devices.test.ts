import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { testAgents } from '../../../test/support/agent-server.ts'
import { assertTurns } from '../../../test/support/longest-turn.ts'
import { makeIn } from '../../../test/support/make.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

/** Of a kind that is asked for its tables. */
const laptop = { platformType: '9', osVersion: { name: 'Ubuntu', version: '24.04', platform: 'ubuntu' } }

const mebibyte = 2 ** 20
const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`
const many = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at))
/** Rows of which each has names of its own, which take longest to read. */
const strange = (count: number, columns: number) =>
  many(count, (row) => Object.fromEntries(many(columns, (column) => [`c${column}_${row}`, 'v'])))

const logOf = (data: string): Buffer => gzipSync(`{"log_type":"result","data":${data}}`, { level: 9 })
const snapshotOf = (name: string, rows: readonly unknown[]): Buffer =>
  logOf(JSON.stringify([{ name, action: 'snapshot', unixTime: 1_764_000_000, snapshot: rows }]))

test('no log of a device holds up the others, however far it inflates', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  const { client } = await agents.enrolled(organizationId, laptop)
  const config = await client.config()
  assert.ok(config.accepted)
  const name = Object.keys(config.body['schedule'] ?? {}).find((one) => one.includes('npm_packages')) ?? ''
  const packages = many(20_000, (at) => ({
    name: `n${at}${'é'.repeat(100)}`,
    version: 'v'.repeat(200),
    [`z${at}`]: '',
  }))
  const logs: Record<string, Buffer> = {
    lists: logOf(nested(3_900_000)),
    text: logOf(`["${'x'.repeat(15 * mebibyte)}"]`),
    blanks: logOf(`[${' '.repeat(15 * mebibyte)}]`),
    escapes: logOf(`["${'\\n'.repeat(7 * mebibyte)}"]`),
    objects: logOf(`[${'{},'.repeat(4_000_000)}{}]`),
    rows: logOf(JSON.stringify(strange(60_000, 2))),
    names: logOf(JSON.stringify(strange(1, 400_000))),
    lines: logOf(JSON.stringify(many(100_000, () => ({ name: 'x', action: 'added' })))),
    snapshot: snapshotOf(name, packages),
  }
  for (const [what, log] of Object.entries(logs)) {
    await assertTurns(what, async () => {
      const { status, text } = await client.call('/log', log, { 'content-encoding': 'gzip' })
      assert.deepEqual([status, text], [200, '{}'], what)
    })
  }
  const { rows_stored: stored } = await database.db
    .selectFrom('device_snapshot_rows')
    .select((build) => build.fn.countAll<number>().as('rows_stored'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  assert.ok(Number(stored) > 1_000, 'what fits is stored')
})

test('no write of a device holds up the others, whatever it is made of', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await make.check(organizationId)
  const { client } = await agents.enrolled(organizationId, laptop)
  const checks = Object.keys((await client.read()).queries).filter((name) => name.startsWith('check/'))
  await client.write(Object.fromEntries(checks.map((name) => [name, { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])))
  const tables = Object.keys((await client.read()).queries).filter((name) => name.startsWith('report/'))
  assert.ok(checks.length > 0 && tables.length > 0)
  const answersOf = (names: readonly string[], rows: readonly unknown[]) =>
    Buffer.from(JSON.stringify({ queries: Object.fromEntries(names.map((name) => [name, rows])), statuses: {} }))
  const writes: Record<string, Buffer> = {
    lists: Buffer.from(`{"queries":{"a":[${nested(4_000_000)}]}}`),
    'answers to checks': answersOf(
      checks,
      many(1_000, (at) => ({ KOLIDE_CHECK_STATUS: 'FAIL', pk: `${at}`, ...strange(1, 150)[0] })),
    ),
    'values of lists': answersOf(
      checks,
      many(1_000, (at) => ({ pk: `${at}`, list: many(150, () => [1]) })),
    ),
    'a first round': answersOf(tables, strange(4_000, 3)),
    'answers that nobody asked for': answersOf(
      many(900, (at) => `check/${at}/1/x/y`),
      strange(60, 3),
    ),
  }
  for (const [what, write] of Object.entries(writes)) {
    await assertTurns(what, async () => {
      const { status, text } = await client.call('/distributed/write', write)
      assert.deepEqual([status, text], [200, '{}'], what)
    })
  }
})

test('a device has one log in work at a time, and the others have theirs', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  const [one, other] = [
    await agents.enrolled(organizationId, { serial: 'S1' }),
    await agents.enrolled(organizationId, { serial: 'S2' }),
  ]
  const second = agents.client()
  second.nodeKey = one.client.nodeKey
  const long = logOf(JSON.stringify(strange(20_000, 3)))
  const headers = { 'content-encoding': 'gzip' }
  const verdicts = await Promise.all(
    [one.client, second, other.client].map((client) => client.call('/log', long, headers)),
  )
  assert.deepEqual(verdicts.map(({ status }) => status).toSorted(), [200, 200, 503])
  assert.equal(verdicts[2]?.status, 200)
  assert.equal((await second.call('/log', long, headers)).status, 200, 'a refused log is taken later')
})

const places: readonly [path: string, bodyOf: (deep: string) => string][] = [
  ['/log', (deep) => `{"log_type":"status","data":[{"severity":${deep},"message":${deep}}]}`],
  [
    '/log',
    (deep) =>
      `{"log_type":"result","data":[{"name":${deep},"action":"snapshot","snapshot":[{"a":${deep}}],"unixTime":${deep}},${deep}]}`,
  ],
  ['/log', (deep) => `{"log_type":${deep},"data":${deep}}`],
  [
    '/distributed/write',
    (deep) => `{"queries":{"a":[{"b":${deep}}],"c":${deep}},"statuses":{"a":${deep},"c":0},"messages":{"a":${deep}}}`,
  ],
  ['/distributed/write', (deep) => `{"queries":${deep},"statuses":${deep}}`],
  ['/distributed/read', (deep) => `{"a":${deep}}`],
  ['/config', (deep) => `{"a":${deep}}`],
]

test('values that are nested deeply are taken as any other that make no sense', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await make.check(organizationId)
  const { client } = await agents.enrolled(organizationId, laptop)
  const { queries } = await client.read()
  const asked = Object.keys(queries)
  for (const levels of [6, 500, 3_500]) {
    for (const [path, bodyOf] of places) {
      const body = bodyOf(nested(levels)).replace('"c":', `"${asked.find((name) => name.startsWith('check/'))}":`)
      assert.equal((await client.call(path, Buffer.from(body))).status, 200, `${path} ${levels}`)
    }
    const rows = `[{"KOLIDE_CHECK_STATUS":"PASS","b":${nested(levels)},"name":${nested(levels)}}]`
    const answers = `{"queries":{${asked.map((name) => `${JSON.stringify(name)}:${rows}`)}},"statuses":{}}`
    assert.equal((await client.call('/distributed/write', Buffer.from(answers))).status, 200, `${levels}`)
  }
  const secret = await agents.enrollmentSecret(organizationId)
  const deep = nested(5_000)
  const enrollment = `{"enroll_secret":"${secret}","host_identifier":${deep},"platform_type":${deep},"host_details":{"system_info":{"uuid":${deep},"hardware_serial":${deep}},"os_version":${deep}}}`
  assert.equal((await agents.client().call('/enroll', Buffer.from(enrollment))).status, 200)
})
