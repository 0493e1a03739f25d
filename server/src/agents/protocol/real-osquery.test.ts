import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { osqueryDaemon } from '../../../test/support/osquery-daemon.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(async () => {
  await agents.reset()
  // The schedule runs at full hours.
  agents.pass(7)
})

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const [light, heavy] = ['select 1 as light', 'select 1 as heavy']
const isHeavy = (sql: string) => sql.startsWith(heavy)
const secondsSince = (startMs: number) => (Date.parse(agents.now()) - startMs) / 1000

const resultsOf = (deviceId: string) =>
  database.db
    .selectFrom('check_results')
    .innerJoin('checks', 'checks.id', 'check_results.check_id')
    .select(['sql_template', 'check_results.status', 'error_message'])
    .where('device_id', '=', deviceId)
    .orderBy('checks.id')
    .execute()

const countOf = async (deviceId: string, status: string) =>
  (await resultsOf(deviceId)).filter((result) => result.status === status).length

/** Checks in this order; each SQL is another one. */
async function makeChecks(organizationId: string, kinds: readonly string[]): Promise<void> {
  for (const [index, kind] of kinds.entries()) {
    await make.check(organizationId, { sql_template: `${kind}, ${index} as number` })
  }
}

const twelve = Array.from({ length: 12 }, (_, index) => (index === 4 || index === 9 ? heavy : light))

test('ten light checks beside two heavy ones are there once both were ended, and the heavy ones say why', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, twelve)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const startMs = Date.parse(agents.now())
  const daemon = osqueryDaemon(client, agents, { isHeavy, answer: () => passing, watchdogSeconds: 48 })
  await daemon.live(600, async () => (await countOf(deviceId, 'passing')) === 10)
  assert.ok(secondsSince(startMs) <= 120, `${secondsSince(startMs)} s`)
  await daemon.live(60)
  const messages = (await resultsOf(deviceId)).filter(({ status }) => status === 'errored')
  assert.deepEqual(
    messages.map(({ error_message }) => error_message),
    ['distributed query is denylisted', 'distributed query is denylisted'],
  )
})

test('without a deny list a heavy check is found by halves and then asked alone, every five minutes', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, twelve)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const startMs = Date.parse(agents.now())
  const daemon = osqueryDaemon(client, agents, { isHeavy, answer: () => passing, hasDenyList: false })
  await daemon.live(3_600, async () => (await countOf(deviceId, 'passing')) === 10)
  // Both halves of the twelve, of the six and of the three have one that ends the daemon.
  assert.ok(secondsSince(startMs) <= 900, `${secondsSince(startMs)} s`)
  const before = client.asked.length
  await daemon.live(1_500)
  const later = client.asked.slice(before).filter((sqls) => sqls.length > 0)
  assert.ok(later.length >= 6 && later.length <= 20, `${later.length} reads`)
  assert.ok(later.every((sqls) => sqls.length === 1 || !sqls.some(isHeavy)))
  assert.equal(await countOf(deviceId, 'pending'), 2)
})

test('what an agent has refused is asked alone a day later, and costs no other answer; a new process knows it, too', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, [light, heavy, light, light])
  const { client, deviceId } = await agents.enrolled(organizationId)
  const daemon = osqueryDaemon(client, agents, { isHeavy, answer: () => passing })
  await daemon.live(300)
  assert.equal(await countOf(deviceId, 'errored'), 1)
  agents.context.registry.distrustAll()
  agents.context.registry.forgetUnused()
  agents.context.registry.forgetUnused()
  const before = client.asked.length
  await daemon.live(23 * 3_600)
  const ofTheDay = client.asked.slice(before).flat()
  assert.equal(ofTheDay.filter(isHeavy).length, 0)
  assert.ok(ofTheDay.length >= 3 * 21, `${ofTheDay.length} light ones`)
  const atNight = client.asked.length
  await daemon.live(3 * 3_600)
  const reads = client.asked.slice(atNight).filter((sqls) => sqls.some(isHeavy))
  assert.deepEqual([...new Set(reads.map((sqls) => sqls.length))], [1])
  assert.ok(reads.length <= 3, `${reads.length} reads`)
  assert.deepEqual([await countOf(deviceId, 'passing'), await countOf(deviceId, 'errored')], [3, 1])
})

const isCheck = (sql: string) => sql.startsWith('select 1 as')

test('checks and tables are never in one read, and a table that was lost is asked for once more', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await makeChecks(organizationId, twelve)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const isFat = (sql: string) => isHeavy(sql) || /\bchrome_extensions\b|\buser_ssh_keys\b/.test(sql)
  const daemon = osqueryDaemon(client, agents, {
    isHeavy: isFat,
    answer: (sql) => (isCheck(sql) ? passing : { rows: [] }),
  })
  await daemon.live(900)
  for (const sqls of client.asked) assert.equal(new Set(sqls.map(isCheck)).size <= 1, true, 'a mixed read')
  const times = Map.groupBy(
    client.asked.flat().filter((sql) => !isCheck(sql)),
    (sql) => sql,
  )
  assert.ok([...times.values()].every((asked) => asked.length <= 2))
  const stored = await database.db.selectFrom('device_snapshots').select('reporting_table').execute()
  const names = stored.map(({ reporting_table: name }) => name)
  assert.equal(names.length, times.size - 2)
  assert.ok(!names.includes('device_chrome_extensions') && !names.includes('device_ssh_keys'))
  assert.equal(await countOf(deviceId, 'passing'), 10)
})

test('a healthy machine reads as often as before: every answer comes, and nothing is asked twice', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await makeChecks(organizationId, new Array(21).fill(light))
  const { client } = await agents.enrolled(organizationId)
  const daemon = osqueryDaemon(client, agents, { answer: (sql) => (isCheck(sql) ? passing : { rows: [] }) })
  await daemon.live(300)
  const asked = client.asked.flat()
  assert.equal(asked.length, new Set(asked).size)
  assert.deepEqual(
    client.asked.map((sqls) => sqls.length).filter((length) => length > 0),
    [20, 1, 20, 6],
  )
})

test('a read whose answer is lost on the way is asked again after half a minute', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, [light, light])
  const { client } = await agents.enrolled(organizationId)
  await client.read()
  agents.pass(29)
  assert.deepEqual(await client.read().then(({ queries, accelerate }) => [queries, accelerate]), [{}, undefined])
  agents.pass(1)
  // What the daemon may still have on its disk runs before anything else.
  assert.deepEqual(await client.read().then(({ queries, accelerate }) => [queries, accelerate]), [{}, 30])
  agents.pass(5)
  assert.equal(Object.keys((await client.read()).queries).length, 1)
  agents.pass(5)
  assert.equal(Object.keys((await client.read()).queries).length, 1)
})

test('a machine whose answers never arrive is asked less and less', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, new Array(12).fill(light))
  const { client } = await agents.enrolled(organizationId)
  let asked = 0
  const reads: number[] = []
  for (let hour = 0; hour < 3; hour += 1) {
    for (let second = 0; second < 3_600; second += 5) {
      asked += Object.keys((await client.read()).queries).length
      agents.pass(5)
    }
    reads.push(asked)
    asked = 0
  }
  // Alone every five minutes, twelve of them.
  assert.ok(
    reads.slice(1).every((count) => count <= 12 * 13),
    `${reads} queries an hour`,
  )
})

test('an answer that is too large costs no other: it is found by halves, and the check says why', async () => {
  const { id: organizationId } = await make.organization()
  const large = 'select 1 as large'
  await makeChecks(organizationId, [light, light, large, light])
  const { client, deviceId } = await agents.enrolled(organizationId)
  const rows = [{ KOLIDE_CHECK_STATUS: 'PASS', text: 'x'.repeat(17 * 2 ** 20) }]
  const daemon = osqueryDaemon(client, agents, { answer: (sql) => (sql.startsWith(large) ? { rows } : passing) })
  await daemon.live(60)
  const results = await resultsOf(deviceId)
  assert.deepEqual(
    results.map(({ status }) => status),
    ['passing', 'passing', 'errored', 'passing'],
  )
  assert.match(results[2]?.error_message ?? '', /^The answer is larger than 16 MB/)
  assert.equal(client.asked.flat().filter((sql) => sql.startsWith(large)).length, 3)
})

const problemsOf = async () => {
  const problems = await database.db
    .selectFrom('device_table_problems')
    .select(['reporting_table', 'type', 'message'])
    .orderBy('reporting_table')
    .execute()
  return Object.fromEntries(problems.map(({ reporting_table: name, type, message }) => [name, `${type}: ${message}`]))
}

test('a table that the agent refuses, lacks or cannot read says so, until it comes', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  const { client } = await agents.enrolled(organizationId)
  const troubles = new Map([
    ['deb_packages', 'no such table: deb_packages'],
    ['usb_devices', 'no such column: serial'],
    ['secureboot', 'Failed to read the variable'],
  ])
  let isWell = false
  const daemon = osqueryDaemon(client, agents, {
    isHeavy: (sql) => !isWell && sql.includes('chrome_extensions'),
    answer: (sql) => {
      const [, message] = [...troubles].find(([table]) => !isWell && sql.includes(` ${table}`)) ?? []
      return message === undefined ? { rows: [] } : { status: 1, message }
    },
  })
  await daemon.live(300)
  const first = {
    device_chrome_extensions: 'denied: distributed query is denylisted',
    device_secure_boot: 'failed: Failed to read the variable',
    device_software: 'missing: no such table: deb_packages',
    device_usb_devices: 'missing: no such column: serial',
  }
  assert.deepEqual(await problemsOf(), first)
  // At the full hour the schedule runs the heavy one as well, and says so in a status line only.
  await daemon.live(3_600)
  const { device_chrome_extensions: scheduled, ...others } = await problemsOf()
  assert.match(scheduled ?? '', /^denied: The agent ended while it ran this query/)
  assert.deepEqual({ device_chrome_extensions: first.device_chrome_extensions, ...others }, first)
  isWell = true
  await daemon.live(26 * 3_600)
  assert.deepEqual(await problemsOf(), {})
})

test('after an hour without a server the tables come at most five minutes behind the checks', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await makeChecks(organizationId, [light])
  const { client } = await agents.enrolled(organizationId)
  let isAway = false
  const daemon = osqueryDaemon(client, agents, {
    answer: (sql) => (isCheck(sql) ? passing : { rows: [] }),
    isAway: () => isAway,
  })
  await daemon.live(120)
  isAway = true
  await daemon.live(2 * 3_600)
  isAway = false
  const backAt = agents.now()
  await daemon.live(600)
  const [first = ''] = daemon.flushedAt.filter((at) => at >= backAt)
  assert.ok(Date.parse(first) - Date.parse(backAt) <= 300_000, `${first} after ${backAt}`)
  // A round of all tables has come in the first batch.
  assert.equal(daemon.buffer.result.length, 0)
})

test('an answer that another process takes in is not lost, whatever it is to', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  await makeChecks(organizationId, [light, light])
  const { client, deviceId } = await agents.enrolled(organizationId)
  const other = (await agents.another()).client()
  other.nodeKey = client.nodeKey
  const answerElsewhere = async () => {
    const names = Object.keys((await client.read()).queries)
    const rows = (name: string) => (name.startsWith('check/') ? passing : { rows: [] })
    await other.write(Object.fromEntries(names.map((name) => [name, rows(name)])))
    return names.length
  }
  assert.equal(await answerElsewhere(), 2)
  agents.pass(31)
  assert.equal(await answerElsewhere(), 20)
  agents.pass(31)
  assert.equal(await answerElsewhere(), 6)
  await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: 'select 1 as one' })
  await until(20_000, async () => (await answerElsewhere()) === 1)
  agents.pass(31)
  assert.deepEqual(await client.read().then(({ queries, accelerate }) => [queries, accelerate]), [{}, undefined])
})

test('answers that could not be sent come after the next read, and are not asked again', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, [light, light, light])
  const { client, deviceId } = await agents.enrolled(organizationId)
  const names = Object.keys((await client.read()).queries)
  agents.pass(60)
  // The write was lost on the way. osquery reads before it sends again.
  assert.deepEqual(await client.read().then(({ queries, accelerate }) => [queries, accelerate]), [{}, 30])
  await client.write(Object.fromEntries(names.map((name) => [name, passing])))
  agents.pass(5)
  assert.deepEqual((await client.read()).queries, {})
  assert.equal(await countOf(deviceId, 'passing'), 3)
  agents.pass(2 * 3_600)
  assert.equal(Object.keys((await client.read()).queries).length, 3)
})

test('a device that answers elsewhere after a loss is asked as much as ever', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, new Array(12).fill(light))
  const { client } = await agents.enrolled(organizationId)
  const other = (await agents.another()).client()
  other.nodeKey = client.nodeKey
  await client.read()
  agents.pass(60)
  await client.read()
  // The process that saw the loss hands out nothing more until the other one has the answers.
  await other.answerAll(() => passing)
  agents.pass(2 * 3_600)
  assert.equal(Object.keys((await client.read()).queries).length, 12)
})

test('a lost live query that ends without an answer is forgotten', async () => {
  const { id: organizationId } = await make.organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: 'select 1 as one' })
  await until(20_000, async () => Object.keys((await client.read()).queries).length === 1)
  agents.pass(31)
  await client.read()
  const device = agents.context.registry.find(client.nodeKey)
  assert.equal(device?.underWay?.most.size, 1)
  await database.db.updateTable('live_query_targets').set({ status: 'errored' }).execute()
  agents.context.registry.takeNotice(organizationId, deviceId)
  await client.read()
  assert.equal(device?.underWay, undefined)
})
