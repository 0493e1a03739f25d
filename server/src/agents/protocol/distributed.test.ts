import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type AgentServer, testAgents } from '../../../test/support/agent-server.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const failing = { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }

const resultsOf = (deviceId: string) =>
  database.db
    .selectFrom('check_results')
    .select(['check_id', 'status', 'error_message', 'ran_at'])
    .where('device_id', '=', deviceId)
    .orderBy('check_id')
    .execute()

const statusesOf = async (deviceId: string) => (await resultsOf(deviceId)).map(({ status }) => status)

async function makeChecks(organizationId: string, count: number) {
  for (let number = 1; number <= count; number += 1) {
    await make.check(organizationId, { sql_template: `select ${number} as number` })
  }
}

test('a machine enrolls, is asked its checks, and its answers become results', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 2)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries).sort(), ['select 1 as number', 'select 2 as number'])
  const answers = Object.entries(queries).map(([name, sql]) => [name, sql.includes('1') ? passing : failing])
  assert.equal((await client.write(Object.fromEntries(answers))).text, '{}')
  assert.deepEqual(await statusesOf(deviceId), ['passing', 'failing'])
  const idle = await client.read()
  assert.deepEqual(idle.verdict.text, '{"queries":{},"node_invalid":false}')
})

test('a read brings twenty queries at most, and quick polls until all were asked', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 45)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const asked: [number, unknown][] = []
  for (let polls = 0; polls < 4; polls += 1) {
    const { queries, accelerate } = await client.read()
    asked.push([Object.keys(queries).length, accelerate])
    await client.write(Object.fromEntries(Object.keys(queries).map((name) => [name, passing])))
    agents.pass(5)
  }
  assert.deepEqual(asked, [
    [20, 30],
    [20, 30],
    [5, undefined],
    [0, undefined],
  ])
  assert.deepEqual(new Set(await statusesOf(deviceId)), new Set(['passing']))
})

test('a check runs again within eleven tenths of its interval, and then once in every interval', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId)
  const { client } = await agents.enrolled(organizationId)
  const ranAt: number[] = []
  for (let minute = 0; minute <= 5 * 60; minute += 1) {
    if ((await client.answerAll(() => passing)) > 0) ranAt.push(minute)
    agents.pass(60)
  }
  const gaps = ranAt.slice(1).map((minute, index) => minute - (ranAt[index] ?? 0))
  const [first = 0, ...next] = gaps
  assert.ok(first >= 6 && first <= 67, `the first gap is ${first} minutes`)
  assert.ok(next.length >= 3 && next.every((gap) => gap >= 59 && gap <= 61), `the next gaps are ${next} minutes`)
})

test('a question that was alone and whose answer never comes is repeated after five minutes, not before', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const first = await client.read()
  agents.pass(299)
  assert.deepEqual((await client.read()).queries, {})
  agents.pass(1)
  const second = await client.read()
  assert.deepEqual(Object.values(second.queries), Object.values(first.queries))
  await client.write(Object.fromEntries(Object.keys(second.queries).map((name) => [name, passing])))
  assert.deepEqual(await statusesOf(deviceId), ['passing'])
})

test('of two answers to one check the later question counts, in whichever order they come', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const [early = ''] = Object.keys((await client.read()).queries)
  agents.pass(300)
  const [late = ''] = Object.keys((await client.read()).queries)
  await client.write({ [late]: failing, [early]: passing })
  assert.deepEqual(await statusesOf(deviceId), ['failing'])
  await client.write({ [early]: passing })
  assert.deepEqual(await statusesOf(deviceId), ['failing'])
})

test('a write that arrives twice, at once or later, opens one issue', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const [name = ''] = Object.keys((await client.read()).queries)
  const hasty = agents.client({ sendsTwice: true })
  hasty.nodeKey = client.nodeKey
  await hasty.write({ [name]: failing })
  await client.write({ [name]: failing })
  const issues = await database.db.selectFrom('issues').select('device_id').execute()
  assert.deepEqual(issues, [{ device_id: deviceId }])
  const events = await database.db.selectFrom('events').select('type').where('type', '=', 'issues.new').execute()
  assert.equal(events.length, 1)
})

test('names that were not handed to this device are ignored, and the rest of the write counts', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  const one = await agents.enrolled(organizationId, { serial: 'ONE' })
  const two = await agents.enrolled(organizationId, { serial: 'TWO' })
  const [oneName = ''] = Object.keys((await one.client.read()).queries)
  const [twoName = ''] = Object.keys((await two.client.read()).queries)
  const forged = oneName.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const stranger = await two.client.write({
    [oneName]: failing,
    [forged]: failing,
    'campaign/55': failing,
    [twoName]: passing,
  })
  assert.deepEqual([stranger.status, stranger.text], [200, '{}'])
  assert.deepEqual(await statusesOf(one.deviceId), ['pending'])
  assert.deepEqual(await statusesOf(two.deviceId), ['passing'])
  agents.pass(86_401)
  assert.equal((await one.client.write({ [oneName]: failing })).text, '{}')
  assert.deepEqual(await statusesOf(one.deviceId), ['pending'], 'an answer a day late is ignored')
})

test('agents of before 5.10 are understood: texts for statuses and empty results, no header, no statistics', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 3)
  const { client, deviceId } = await agents.enrolled(organizationId, {}, { sendsHeader: false, writesOldForms: true })
  const { queries } = await client.read()
  const names = Object.fromEntries(Object.entries(queries).map(([name, sql]) => [sql, name]))
  await client.write({
    [names['select 1 as number'] ?? '']: passing,
    [names['select 2 as number'] ?? '']: { rows: [] },
    [names['select 3 as number'] ?? '']: { status: 1, message: 'no such table: gsettings' },
  })
  assert.deepEqual(
    (await resultsOf(deviceId)).map(({ status, error_message }) => [status, error_message]),
    [
      ['passing', null],
      ['errored', 'The query returned no row'],
      ['errored', 'no such table: gsettings'],
    ],
  )
})

test('a denied query is an error, a table that the bundled agent lacks leaves the check undecided', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 2)
  const { client, deviceId } = await agents.enrolled(organizationId)
  await client.answerAll((query) => ({
    status: 1,
    message: query.includes('1') ? 'distributed query is denylisted' : 'not collected: gsettings (needs a desktop)',
  }))
  assert.deepEqual(
    (await resultsOf(deviceId)).map(({ status, error_message }) => [status, error_message]),
    [
      ['errored', 'distributed query is denylisted'],
      ['unknown', 'not collected: gsettings (needs a desktop)'],
    ],
  )
})

test('results that say the same write nothing but, in a batch, when the checks last ran', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 3)
  const { client, deviceId } = await agents.enrolled(organizationId)
  await client.answerAll(() => failing)
  const versions = async () => {
    const { rows } = await sql<{ version: string }>`
      select xmin::text || '/' || ctid::text as version from check_results
      union all select xmin::text || '/' || ctid::text from issues
      union all select xmin::text || '/' || ctid::text from events
      union all select xmin::text || '/' || ctid::text from devices order by 1`.execute(database.db)
    return rows
  }
  const before = await versions()
  const firstRun = startOfTests
  agents.pass(2 * 3_600)
  assert.equal(await client.answerAll(() => failing), 3)
  assert.deepEqual(await versions(), before)
  await agents.server.agents.flush()
  const runs = await database.db.selectFrom('device_check_runs').selectAll().executeTakeFirstOrThrow()
  assert.equal(runs.device_id, deviceId)
  assert.deepEqual([...new Set(runs.ran_at)], [agents.now()])
  assert.deepEqual(new Set((await resultsOf(deviceId)).map(({ ran_at }) => ran_at)), new Set([firstRun]))
  const issues = await database.db.selectFrom('issues').select('last_rechecked_at').execute()
  assert.deepEqual([...new Set(issues.map((issue) => issue.last_rechecked_at))], [agents.now()])
})

test('a refresh is asked at the next read, once, and is over with its answer', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 2)
  const { client, deviceId } = await agents.enrolled(organizationId)
  await client.answerAll(() => passing)
  agents.pass(60)
  assert.deepEqual((await client.read()).queries, {})
  const [check] = await resultsOf(deviceId)
  const refresh = { organizationId, deviceId, checkId: check?.check_id ?? '', now: agents.now() }
  await transact(database.db, (tx) => requestRefresh(tx, refresh))
  agents.pass(1)
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries), ['select 1 as number'])
  await client.write(Object.fromEntries(Object.keys(queries).map((name) => [name, failing])))
  assert.deepEqual((await client.read()).queries, {})
  await agents.server.agents.flush()
  assert.deepEqual(await database.db.selectFrom('check_refreshes').selectAll().execute(), [])
  assert.deepEqual(await statusesOf(deviceId), ['failing', 'passing'])
})

test('a refresh that comes while the check is being run is not satisfied by that run', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const first = await client.read()
  agents.pass(1)
  const [check] = await resultsOf(deviceId)
  const refresh = { organizationId, deviceId, checkId: check?.check_id ?? '', now: agents.now() }
  await transact(database.db, (tx) => requestRefresh(tx, refresh))
  agents.pass(1)
  await client.write(Object.fromEntries(Object.keys(first.queries).map((name) => [name, passing])))
  await agents.server.agents.flush()
  assert.equal((await database.db.selectFrom('check_refreshes').selectAll().execute()).length, 1)
  assert.equal(await client.answerAll(() => failing), 1)
  assert.deepEqual(await statusesOf(deviceId), ['failing'])
})

test('changed options are asked at the next read; a paused check is not asked and its late answer is refused', async () => {
  const { id: organizationId } = await make.organization()
  const days = { kind: 'integer', min: 1, max: 90, default: 30, title: 'Days', description: 'How many.' }
  const check = await make.check(organizationId, {
    sql_template: 'select {{ options.days | sql_integer }} as days',
    option_definitions: JSON.stringify({ days }),
  })
  const { client, deviceId } = await agents.enrolled(organizationId)
  const [[oldName = '', oldSql] = []] = Object.entries((await client.read()).queries)
  assert.equal(oldSql, 'select 30 as days')
  const configure = (request: Parameters<typeof updateConfiguration>[1]['request']) =>
    transact(database.db, (tx) =>
      updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, agents.now())),
    )
  await configure({ options: '{"days":7}' })
  await client.write({ [oldName]: failing })
  assert.deepEqual(await statusesOf(deviceId), ['pending'], 'the answer to the earlier query says nothing')
  agents.pass(300)
  const [[newName = '', newSql] = []] = Object.entries((await client.read()).queries)
  assert.equal(newSql, 'select 7 as days')
  await configure({ paused: true })
  await client.write({ [newName]: failing })
  assert.deepEqual(await statusesOf(deviceId), ['pending'])
  agents.pass(7_200)
  assert.deepEqual((await client.read()).queries, {})
  await configure({ paused: false })
  assert.equal(await client.answerAll(() => passing), 1)
  assert.deepEqual(await statusesOf(deviceId), ['passing'])
})

test('a query that cannot be made from its template shows as an error; the other checks run', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId, { sql_template: 'select {{ options.days }} as days' })
  await make.check(organizationId, { sql_template: 'select 1' })
  const { client, deviceId } = await agents.enrolled(organizationId)
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries), ['select 1'])
  const [faulty] = await resultsOf(deviceId)
  assert.equal(faulty?.status, 'errored')
  assert.match(faulty?.error_message ?? '', /^The query cannot be made from its template: Line 1: /)
  assert.ok(agents.server.logged.some(({ message }) => message === 'check cannot run'))
})

test('while the database is away a write is refused with an error, and its results come with the next one', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 1)
  let isAway = false
  const flaky = database.db.withPlugin({
    transformQuery: ({ node }) => {
      if (isAway) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const server = await agents.another(flaky)
  const client = server.client()
  await client.enroll(await agents.enrollmentSecret(organizationId))
  const [name = ''] = Object.keys((await client.read()).queries)
  isAway = true
  const refused = await client.write({ [name]: failing })
  assert.deepEqual(
    [refused.status, JSON.parse(refused.text)],
    [503, { error: 'The service is not available', node_invalid: false }],
  )
  const idle = await client.read()
  assert.deepEqual(idle.queries, {}, 'idle reads continue without the database')
  isAway = false
  assert.ok((await client.write({})).accepted)
  const { status } = await database.db.selectFrom('check_results').select('status').executeTakeFirstOrThrow()
  assert.equal(status, 'failing')
})

type AgentClient = Awaited<ReturnType<typeof agents.enrolled>>['client']

/** Keeps every recording waiting until the returned function is called. */
function holdRecordings({ agents: { context } }: AgentServer): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  for (let turn = 0; turn < 4; turn += 1) void context.inRecordingTurn(() => promise)
  return resolve
}

test('what many devices send while others are recorded becomes one transaction', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 2)
  const asked: { client: AgentClient; queries: Record<string, string> }[] = []
  for (let device = 0; device < 5; device += 1) {
    const machine = { uuid: `4C4C4544-0042-3510-8056-B4C04F4D4E4${device}`, serial: `PF3ABCD${device}` }
    const { client } = await agents.enrolled(organizationId, machine)
    asked.push({ client, queries: (await client.read()).queries })
  }
  const { recorder } = agents.context
  const release = holdRecordings(agents.server)
  const writes = asked.map(({ client, queries }) =>
    client.write(Object.fromEntries(Object.keys(queries).map((name) => [name, failing]))),
  )
  const isHeld = async () => (await Promise.race([...writes, pause(5, 'held')])) === 'held'
  while (recorder.waiting() < writes.length) assert.ok(await isHeld(), 'a write was answered before it was recorded')
  release()
  assert.ok((await Promise.all(writes)).every(({ accepted }) => accepted))
  const { rows } = await sql`select distinct xmin::text, status from check_results`.execute(database.db)
  assert.equal(rows.length, 1)
  assert.equal((await database.db.selectFrom('issues').select('id').execute()).length, 10)
})

test('a stop records what was taken in before it ends', async () => {
  const { id: organizationId } = await make.organization()
  const check = await make.check(organizationId)
  const device = await make.device(organizationId)
  const server = await agents.another()
  const release = holdRecordings(server)
  const run = {
    checkId: check.id,
    queryRevision: '1',
    ranAt: agents.now(),
    outcome: { kind: 'rows' as const, ...failing },
  }
  const recorded = server.agents.context.recorder.record({
    ...{ organizationId, deviceId: device.id, runs: [run], context: contextAt(agents.now()) },
  })
  const stopped = server.agents.stop()
  release()
  await stopped
  assert.deepEqual(await statusesOf(device.id), ['failing'])
  assert.equal((await recorded).length, 1)
})

test('a result that cannot be recorded does not hold back the others', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 2)
  const { client, deviceId } = await agents.enrolled(organizationId)
  const { connection } = database
  await connection.executeScript(
    `alter table check_results add constraint no_errors check (status <> 'errored') not valid`,
  )
  try {
    const asked = await client.answerAll((query) => (query.includes('1') ? { status: 1, message: 'no' } : passing))
    assert.equal(asked, 2)
    assert.deepEqual(await statusesOf(deviceId), ['pending', 'passing'])
    assert.ok(agents.server.logged.some(({ message }) => message === 'result not recorded'))
  } finally {
    await connection.executeScript('alter table check_results drop constraint no_errors')
  }
})

test('an idle read touches no database', async () => {
  const { id: organizationId } = await make.organization()
  await makeChecks(organizationId, 3)
  const statements: string[] = []
  const counted = database.db.withPlugin({
    transformQuery: ({ node }) => {
      const text = JSON.stringify(node)
      // The background follows the notices all the time.
      if (!text.includes('agent_notices')) statements.push(text)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const server = await agents.another(counted)
  for (const quirks of [{}, { sendsHeader: false }]) {
    const client = server.client(quirks)
    await client.enroll(await agents.enrollmentSecret(organizationId))
    await client.answerAll(() => passing)
    assert.ok(statements.length > 0)
    // A notice that comes late has the device loaded once more, and what is remembered is written from time to time.
    await until(60_000, async () => {
      statements.length = 0
      for (let reads = 0; reads < 20; reads += 1) {
        const { verdict, queries } = await client.read()
        assert.ok(verdict.accepted)
        assert.deepEqual(queries, {})
      }
      assert.ok((await client.config()).accepted)
      assert.ok((await client.log('status', [{ severity: 0, message: 'hello' }])).accepted)
      return statements.length === 0
    })
  }
})
