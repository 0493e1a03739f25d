import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { inventoryQueries } from '../../reporting/catalogue/catalogue.ts'
import { inventorySchedule } from '../../reporting/schedule-inventory.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const organization = async () => (await make.organization({ disabled_features: [] })).id

const mac = {
  serial: 'C02XK0AAJG5H',
  platformType: '21',
  osVersion: { name: 'macOS', version: '15.1', platform: 'darwin' },
}

const nameOf = (table: string) => `report/${table}/${inventoryQueries.linux.get(table)?.version}`
const unixTime = (now: string) => Math.floor(Date.parse(now) / 1000)

const line = (table: string, rows: unknown, fields: Record<string, unknown> = {}) => ({
  name: nameOf(table),
  hostIdentifier: '4c4c4544',
  calendarTime: 'Fri Nov 20 10:00:00 2026 UTC',
  unixTime: unixTime(agents.now()),
  epoch: 0,
  counter: 0,
  numerics: false,
  decorations: {},
  action: 'snapshot',
  snapshot: rows,
  ...fields,
})

const rowsOf = async (deviceId: string, table: string) => {
  const rows = await database.db
    .selectFrom('device_snapshot_rows')
    .select('content')
    .where('device_id', '=', deviceId)
    .where('reporting_table', '=', table)
    .orderBy('id')
    .execute()
  return rows.map(({ content }) => content)
}

const counted = async (outcome: string) => {
  const { values } = await agents.context.metrics.snapshots.get()
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
}

async function switchReporting(organizationId: string, isOn: boolean): Promise<void> {
  const change = { feature: 'reporting', isOn } as const
  await transact(database.db, (tx) => setFeature(tx, change, systemChange(organizationId, agents.now())))
}

/** Processes read their notices twice a second. */
async function heeded(claim: () => Promise<void>): Promise<void> {
  for (let attempts = 0; attempts < 100; attempts += 1) {
    if (
      await claim().then(
        () => true,
        () => false,
      )
    )
      return
    await pause(100)
  }
  await claim()
}

test('a device is told to report the tables of its platform, and none where the feature is off', async () => {
  const organizationId = await organization()
  const { client } = await agents.enrolled(organizationId)
  const { client: other } = await agents.enrolled(organizationId, mac)
  const scheduleOf = async (agent: typeof client) => {
    const verdict = await agent.config()
    assert.ok(verdict.accepted)
    return verdict.body['schedule']
  }
  assert.deepEqual(await scheduleOf(client), inventorySchedule('linux'))
  assert.deepEqual(await scheduleOf(other), inventorySchedule('darwin'))
  await switchReporting(organizationId, false)
  await heeded(async () => assert.deepEqual(await scheduleOf(client), {}))
  assert.equal((await client.log('result', [line('device_uptime', [{ days: '3' }])])).text, '{}')
  assert.deepEqual(await client.read().then(({ queries }) => queries), {})
  await switchReporting(organizationId, true)
  await heeded(async () => assert.deepEqual(await scheduleOf(client), inventorySchedule('linux')))
})

test('a snapshot is stored, an unchanged one and a batch that comes twice write nothing', async () => {
  const { client, deviceId } = await agents.enrolled(await organization(), {}, { compressesLogs: true })
  const lines = [line('device_uptime', [{ days: 3 }]), line('device_users', [{ uid: '0', username: 'root' }])]
  assert.equal((await client.log('result', lines)).text, '{}')
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
  const [user] = await rowsOf(deviceId, 'device_users')
  assert.deepEqual([user?.['uid'], user?.['username'], user?.['shell']], ['0', 'root', ''])
  await agents.server.agents.flush()
  const before = await rowVersions(database.db)
  assert.equal((await client.log('result', lines)).text, '{}')
  agents.pass(3_600)
  const hasty = agents.client({ sendsTwice: true })
  hasty.nodeKey = client.nodeKey
  assert.equal((await hasty.log('result', [line('device_uptime', [{ days: '3' }])])).text, '{}')
  assert.deepEqual(await rowVersions(database.db), before)
})

test('a report without any of the asked columns is no report: what is known stays', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  const before = await counted('ignored')
  await client.log('result', [line('device_uptime', [{ days: '3' }])])
  agents.pass(3_600)
  await client.log('result', [line('device_uptime', [{ build_distro: 'perf' }, {}]), line('device_users', [{}])])
  await client.write({ [nameOf('device_routes')]: { rows: [{ one: '1' }] } })
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
  const stored = await database.db.selectFrom('device_snapshots').select('reporting_table').execute()
  assert.deepEqual(stored, [{ reporting_table: 'device_uptime' }])
  assert.equal((await counted('ignored')) - before, 3)
  await client.log('result', [line('device_uptime', [])])
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [])
})

test('of what an agent has kept without a connection, the last of each table counts', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  const now = unixTime(agents.now())
  const kept = [3, 1, 2].map((hour) =>
    line('device_uptime', [{ days: String(hour) }], { unixTime: String(now - 3_600 * (4 - hour)) }),
  )
  await client.log('result', kept)
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
})

const year2016 = 1_451_606_400

test('whatever the clock of a device says, what arrives last counts', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  const moments = [
    () => unixTime(agents.now()),
    () => unixTime(agents.now()) - 62,
    () => unixTime(agents.now()) - 7_200,
    () => year2016,
    () => 0,
    () => -1,
    () => year2016 - 2,
    () => 4_000_000_000,
    () => unixTime(agents.now()),
  ]
  for (const [index, moment] of moments.entries()) {
    agents.pass(60)
    const days = String(index)
    await client.log('result', [line('device_uptime', [{ days }], { unixTime: moment() })])
    assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days }])
    await agents.server.agents.flush()
    const stored = await database.db.selectFrom('device_snapshots').select('taken_at').executeTakeFirstOrThrow()
    assert.equal(stored.taken_at, agents.now(), 'a table was reported when it arrived')
  }
})

test('within a batch the clock of the device orders the lines, and their places where it cannot be right', async () => {
  const now = unixTime(agents.now())
  const cases: [moments: number[], last: string][] = [
    [[now - 10, now - 10], '1'],
    [[now - 10, now - 12], '0'],
    [[now + 4_000, now + 3_000], '1'],
    [[now - 10, year2016], '1'],
    [[year2016, now - 10], '1'],
    [[year2016, year2016 - 2], '1'],
    [[now - 90_000, now - 90_001], '1'],
    [[now - 20, year2016, now - 30], '2'],
  ]
  const { client, deviceId } = await agents.enrolled(await organization())
  for (const [moments, last] of cases) {
    const lines = moments.map((unixTime, index) => line('device_uptime', [{ days: String(index) }], { unixTime }))
    await client.log('result', lines)
    assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: last }], JSON.stringify(moments))
  }
})

test('an empty text is a snapshot without rows, as osquery up to 2.9 writes it', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  await client.log('result', [line('device_uptime', [{ days: '3' }])])
  await client.log('result', [line('device_uptime', '')])
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [])
})

test('a clock that runs ahead does not shut out what comes when it is right again', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  await client.log('result', [line('device_uptime', [{ days: '1' }], { unixTime: 4_000_000_000 })])
  agents.pass(3_600)
  await client.log('result', [line('device_uptime', [{ days: '2' }])])
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '2' }])
})

test('lines that are none of ours are counted and taken off the agent', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  const before = await counted('ignored')
  const uptime = [{ days: '3' }]
  const strange: unknown[] = [
    line('device_uptime', uptime, { name: 'report/device_uptime/000000000000' }),
    line('device_uptime', uptime, { name: 'report/device_battery/000000000000' }),
    line('device_uptime', uptime, { name: 'report/__proto__/000000000000' }),
    line('device_uptime', uptime, { name: 'pack/mine/uptime' }),
    line('device_uptime', uptime, { name: 7 }),
    line('device_uptime', uptime, { action: 'added', columns: { days: '3' }, snapshot: undefined }),
    line('device_uptime', 'no rows'),
    line('device_uptime', uptime, { unixTime: 'yesterday' }),
    line('device_uptime', uptime, { unixTime: null }),
    null,
    'text',
    [],
  ]
  assert.equal((await client.log('result', strange)).text, '{}')
  assert.equal((await counted('ignored')) - before, strange.length)
  assert.equal((await client.call('/log', { node_key: client.nodeKey, log_type: 'result', data: 'none' })).text, '{}')
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [])
})

test('hostile text and moments beyond all calendars break nothing', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  const rows = [{ days: 'nul\0' }, { days: '\ud800' }, { days: "'; drop table devices; --" }, { days: { a: '\0' } }]
  for (const moment of [1e300, Number.MAX_SAFE_INTEGER, 0.5, '1e5']) {
    assert.equal((await client.log('result', [line('device_uptime', rows, { unixTime: moment })])).text, '{}')
  }
  assert.equal((await rowsOf(deviceId, 'device_uptime')).length, 4)
})

/** A row with every column of the table that a query is about. */
const rowOf = (queryName: string) => {
  const { table } = inventoryQueries.linux.get(queryName.split('/')[1] ?? '') ?? {}
  return Object.fromEntries((table?.columns ?? []).map(({ name }) => [name, '3']))
}

test('a device that has just enrolled is asked every table of its platform once, after its checks', async () => {
  const organizationId = await organization()
  await make.check(organizationId, { sql_template: 'select 1 as number' })
  const { client, deviceId } = await agents.enrolled(organizationId)
  const asked: string[] = []
  for (let polls = 0; polls < 4; polls += 1) {
    const { queries } = await client.read()
    const names = Object.keys(queries)
    assert.ok(names.length <= 20)
    if (polls === 0) assert.equal(names[0]?.startsWith('check/'), true)
    asked.push(...names.filter((name) => name.startsWith('report/')))
    const answers = names.map((name) => [name, { rows: [{ ...rowOf(name), KOLIDE_CHECK_STATUS: 'PASS' }] }])
    await client.write(Object.fromEntries(answers))
  }
  assert.deepEqual(asked.sort(), Object.keys(inventorySchedule('linux')).sort())
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
  const stored = await database.db.selectFrom('device_snapshots').select(['reporting_table', 'is_scheduled']).execute()
  assert.deepEqual(
    [stored.length, stored.some(({ is_scheduled }) => is_scheduled)],
    [inventoryQueries.linux.size, false],
  )
  const another = await agents.another()
  const elsewhere = another.client()
  elsewhere.nodeKey = client.nodeKey
  assert.deepEqual((await elsewhere.read()).queries, {})
})

test('an answer of the first round that failed, or comes after the schedule, stores nothing', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  await client.write({ [nameOf('device_uptime')]: { status: 1, message: 'no such table' } })
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [])
  await client.log('result', [line('device_uptime', [{ days: '3' }])])
  await client.write({ [nameOf('device_uptime')]: { rows: [{ days: '9' }] } })
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
})

test('a device that enrolled long ago waits for its schedule', async () => {
  const { client } = await agents.enrolled(await organization())
  agents.pass(3_601)
  assert.deepEqual((await client.read()).queries, {})
})

test('a snapshot that cannot be recorded does not hold back the others, nor the agent', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  await database.connection.executeScript(`
    alter table device_snapshot_rows add constraint device_snapshot_rows_no_users check (reporting_table <> 'device_users')`)
  try {
    const lines = [line('device_users', [{ uid: '1' }]), line('device_uptime', [{ days: '3' }])]
    assert.equal((await client.log('result', lines)).text, '{}')
    assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
    assert.deepEqual(await rowsOf(deviceId, 'device_users'), [])
    assert.equal(agents.server.logged.at(-1)?.message, 'snapshot not recorded')
  } finally {
    await database.connection.executeScript(
      'alter table device_snapshot_rows drop constraint device_snapshot_rows_no_users',
    )
  }
})

test('while the database is away the agent keeps its lines', async () => {
  const { client, deviceId } = await agents.enrolled(await organization())
  await client.config()
  await database.connection.executeScript(`
    create function refuse_snapshots() returns trigger language plpgsql as $$
    begin raise exception 'going down' using errcode = '57P01'; end $$;
    create trigger refuse before insert on device_snapshots execute function refuse_snapshots()`)
  const lines = [line('device_uptime', [{ days: '3' }])]
  try {
    const refused = await client.log('result', lines)
    assert.deepEqual([refused.accepted, refused.status], [false, 503])
    const name = nameOf('device_uptime')
    assert.equal((await client.write({ [name]: { rows: [{ days: '3' }] } })).accepted, false)
  } finally {
    await database.connection.executeScript('drop trigger refuse on device_snapshots; drop function refuse_snapshots()')
  }
  assert.equal((await client.log('result', lines)).text, '{}')
  assert.deepEqual(await rowsOf(deviceId, 'device_uptime'), [{ days: '3' }])
})
