import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../test/support/agent-server.ts'
import { testOnPostgres } from '../../test/support/database.ts'
import { makeIn, startOfTests } from '../../test/support/make.ts'
import { until } from '../../test/support/muster-process.ts'
import type { QueryResult } from '../../test/support/osquery-client.ts'
import { deleteDevice } from '../administration/registrations/delete-device.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'
import { plusMs } from '../base/time.ts'
import { deleteCampaign } from './delete-campaign.ts'
import { dropOldResults } from './drop-old-results.ts'
import { giveUpWaiting } from './give-up-waiting.ts'
import { findCampaign, listResultParts, listResults } from './queries.ts'
import { updateCampaign } from './update-campaign.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const idle = '{"queries":{},"node_invalid":false}'
const organization = async () => (await make.organization()).id

const resultsOf = (organizationId: string, campaignId: string) =>
  listResults(database.db, {
    ...{ organizationId, params: { liveQueryCampaignId: campaignId }, search: undefined, after: undefined },
    ...{ limit: 1000, order: 'ascending', now: agents.now() },
  })

const countsOf = async (organizationId: string, campaignId: string) => {
  const found = await findCampaign(database.db, organizationId, campaignId)
  return [found?.waiting, found?.successful, found?.errored]
}

const edit = (organizationId: string, campaignId: string, sql: string) =>
  transact(database.db, (tx) =>
    updateCampaign(
      tx,
      {
        campaignId,
        name: undefined,
        statement: { sql, tablesUsed: [] },
        targetsFrom: (before) => before,
        namedDeviceIds: [],
      },
      systemChange(organizationId, agents.now()),
    ),
  )

const remove = (organizationId: string, campaignId: string) =>
  transact(database.db, (tx) => deleteCampaign(tx, { campaignId }, systemChange(organizationId, agents.now())))

test('a device that had nothing to do is asked at its next read, polls fast, and its rows are the result', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  assert.equal((await client.read()).verdict.text, idle)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: 'select "a\\" from x' })
  const { queries, accelerate } = await client.read()
  const [[name = '', sql] = []] = Object.entries(queries)
  assert.match(name, new RegExp(`^campaign/${id}/1/[0-9a-z]+/[\\w-]{22}$`))
  assert.deepEqual([sql, accelerate, Object.keys(queries).length], ['select "a\\" from x', 30, 1])
  assert.equal((await client.read()).verdict.text, idle, 'asked once')
  const rows = [
    { pid: '1', name: 'systemd' },
    { pid: '2', name: 'ünï \u{1f600}' },
  ]
  await client.write({ [name]: { rows } })
  const [result] = await resultsOf(organizationId, id)
  assert.deepEqual(
    { ...result, id: '' },
    {
      ...{ id: '', campaign_id: id, device_id: deviceId, device_name: 'ana-x1', revision: 1, row_count: 2, rows },
      ...{ error_message: null, warning_message: null, rows_in_parts: 0 },
    },
  )
  assert.deepEqual(await countsOf(organizationId, id), [0, 1, 0])
  agents.pass(301)
  assert.equal((await client.read()).verdict.text, idle)
})

test('an answer that comes again, or twice at once, counts once', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const [name = ''] = Object.keys((await client.read()).queries)
  const hasty = agents.client({ sendsTwice: true })
  hasty.nodeKey = client.nodeKey
  await hasty.write({ [name]: { rows: [{ pid: '1' }] } })
  await client.write({ [name]: { rows: [{ pid: '2' }] } })
  const results = await resultsOf(organizationId, id)
  assert.deepEqual(
    results.map(({ rows }) => rows),
    [[{ pid: '1' }]],
  )
  assert.deepEqual(await countsOf(organizationId, id), [0, 1, 0])
})

test('a query that the agent refuses, cannot run or has on its deny list is an error with its words', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const answers: [answer: QueryResult, message: string][] = [
    [{ status: 1, message: 'distributed query is denylisted' }, 'distributed query is denylisted'],
    [{ status: 1, message: 'no such table: gsettings' }, 'no such table: gsettings'],
    [{ status: 1 }, 'The query failed with status 1'],
    [{ status: 1, message: 'bad \0 \ud800 text' }, 'bad \ufffd \ufffd text'],
    [{ status: 1, message: 'not collected: secureboot' }, 'not collected: secureboot'],
  ]
  for (const [answer, message] of answers) {
    const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
    const [name = ''] = Object.keys((await client.read()).queries)
    await client.write({ [name]: answer })
    const [result] = await resultsOf(organizationId, id)
    assert.deepEqual([result?.error_message, result?.rows, result?.row_count], [message, [], 0])
    assert.deepEqual(await countsOf(organizationId, id), [0, 0, 1])
  }
})

test('many rows are kept whole, and what long or hostile ones lose is said in a warning', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const ask = async (rows: Record<string, string>[]) => {
    const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
    const [name = ''] = Object.keys((await client.read()).queries)
    await client.write({ [name]: { rows } })
    return (await resultsOf(organizationId, id))[0]
  }
  const many = await ask(Array.from({ length: 1500 }, (_, number) => ({ number: String(number) })))
  assert.deepEqual([many?.row_count, many?.rows.length, many?.rows[999]], [1500, 1000, { number: '999' }])
  assert.equal(many?.warning_message, 'The first 1000 rows are here, all that were kept at rows_url.')
  const heavy = await ask(Array.from({ length: 100 }, () => ({ text: 'x'.repeat(3000) })))
  assert.deepEqual([heavy?.row_count, heavy?.rows.length], [100, 33])
  assert.equal(heavy?.warning_message, 'The first 33 rows are here, all that were kept at rows_url.')
  const long = await ask([{ text: 'x'.repeat(5000) }])
  assert.deepEqual([long?.rows[0]?.['text']?.length, long?.row_count], [4096, 1])
  assert.equal(long?.warning_message, 'Long values and columns past the 200th were cut.')
  const wide = await ask([Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`c${at}`, '']))])
  assert.equal(Object.keys(wide?.rows[0] ?? {}).length, 200)
  const hostile = await ask([{ 'a\0b': 'c\0\ud800', ['__proto__']: 'x' }])
  assert.deepEqual(
    [hostile?.rows, hostile?.warning_message],
    [[{ 'a\ufffdb': 'c\ufffd\ufffd', ['__proto__']: 'x' }], null],
  )
})

const debPackages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `lib-${index}`,
    version: `1:${index}.0-1`,
    maintainer: `Maintainers "of" ${'x'.repeat(220)} <é@example.com>`,
  }))

const partsOf = (organizationId: string, campaignId: string, resultId: string) =>
  listResultParts(database.db, {
    ...{ organizationId, params: { liveQueryCampaignId: campaignId, resultId }, after: undefined, limit: 1000 },
  })

async function answered(organizationId: string, rows: Record<string, string>[]) {
  const { client, deviceId } = await agents.enrolled(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const [name = ''] = Object.keys((await client.read()).queries)
  await client.write({ [name]: { rows } })
  const [result] = await resultsOf(organizationId, id)
  assert.ok(result)
  return { id, result, parts: await partsOf(organizationId, id, result.id) }
}

test('the packages of a full machine come whole, in parts that are each read at once', async () => {
  const organizationId = await organization()
  const rows = debPackages(4_000)
  const { id, result, parts } = await answered(organizationId, rows)
  assert.deepEqual(
    parts.flatMap((part) => part.rows),
    rows,
  )
  assert.deepEqual([result.row_count, result.rows.length + result.rows_in_parts], [4_000, 4_000])
  assert.ok(parts.every((part) => part.rows.length <= 1_000 && JSON.stringify(part.rows).length <= 100_001))
  const firstRows = parts.map((part, index) => [
    part.id,
    String(parts.slice(0, index).flatMap((one) => one.rows).length + 1),
  ])
  assert.ok(firstRows.every(([first, expected]) => first === expected))
  assert.deepEqual(await partsOf((await make.organization()).id, id, result.id), [])
})

test('an answer is kept up to 50,000 rows and 10,000,000 characters, and a warning says what is missing', async () => {
  const organizationId = await organization()
  const many = await answered(
    organizationId,
    Array.from({ length: 50_010 }, (_, index) => ({ n: String(index) })),
  )
  const kept = many.parts.flatMap(({ rows }) => rows)
  assert.deepEqual([kept.length, kept.at(-1), many.result.row_count], [50_000, { n: '49999' }, 50_010])
  assert.match(
    many.result.warning_message ?? '',
    /^Only 50000 of 50010 rows were kept\. The first 1000 rows are here, /,
  )
  const long = await answered(
    organizationId,
    Array.from({ length: 3_000 }, () => ({ text: 'x'.repeat(4_000) })),
  )
  const [keptRows, characters] = [
    long.parts.flatMap(({ rows }) => rows).length,
    long.parts.reduce((sum, { rows }) => sum + JSON.stringify(rows).length, 0),
  ]
  assert.ok(keptRows > 2_400 && keptRows < 2_500 && characters <= 10_001_000)
})

test('a row that is longer than a part is a part of its own', async () => {
  const wide = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`c${at}`, 'x'.repeat(4_000)]))
  const { result, parts } = await answered(await organization(), [wide, { a: '1' }, wide])
  assert.deepEqual(result.rows, [])
  assert.deepEqual(
    parts.map((part) => [part.id, part.rows]),
    [
      ['1', [wide]],
      ['2', [{ a: '1' }]],
      ['3', [wide]],
    ],
  )
})

test('a live query that has used up its room keeps the first rows of further devices', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  await database.db.updateTable('live_query_tallies').set({ part_characters: '1999999000' }).execute()
  const [name = ''] = Object.keys((await client.read()).queries)
  await client.write({ [name]: { rows: debPackages(2_000) } })
  const [result] = await resultsOf(organizationId, id)
  assert.ok(result)
  assert.deepEqual(
    [result.rows_in_parts, result.warning_message],
    [0, `Only ${result.rows.length} of 2000 rows were kept.`],
  )
  assert.equal((await partsOf(organizationId, id, result.id)).length, 1)
})

test('an answer that is too long to be read is an error instead of a wait', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const [name = ''] = Object.keys((await client.read()).queries)
  const rows = Array.from({ length: 17 }, () => ({ text: 'x'.repeat(1_000_000) }))
  assert.ok((await client.write({ [name]: { rows } })).accepted)
  const [result] = await resultsOf(organizationId, id)
  assert.equal(
    result?.error_message,
    'The answer is larger than 16 MB, 200,000 rows or 1,500,000 values. Ask for fewer rows or columns.',
  )
  assert.deepEqual(await countsOf(organizationId, id), [0, 0, 1])
})

test('twenty live queries go with one read and the rest with the next, before any check', async () => {
  const organizationId = await organization()
  await make.check(organizationId, { sql_template: 'select 1 as a_check' })
  const { client, deviceId } = await agents.enrolled(organizationId)
  for (let number = 0; number < 45; number += 1) {
    await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: `select ${number} as live` })
  }
  const reads: [number, unknown][] = []
  for (let polls = 0; polls < 5; polls += 1) {
    const { queries, accelerate } = await client.read()
    const names = Object.keys(queries)
    if (reads.length < 3) assert.ok(names.every((name) => name.startsWith('campaign/')))
    reads.push([names.length, accelerate])
    await client.write(Object.fromEntries(names.map((name) => [name, { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])))
  }
  assert.deepEqual(reads, [
    [20, 30],
    [20, 30],
    [5, 30],
    [1, undefined],
    [0, undefined],
  ])
  assert.equal((await database.db.selectFrom('live_query_results').select('id').execute()).length, 45)
})

test('a question whose answer never comes is repeated after five minutes', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  assert.equal(Object.keys((await client.read()).queries).length, 1)
  agents.pass(299)
  assert.equal(Object.keys((await client.read()).queries).length, 0)
  agents.pass(1)
  assert.equal(Object.keys((await client.read()).queries).length, 1)
})

test('only the targets are asked, and a name that was given to one device is of no use to another', async () => {
  const organizationId = await organization()
  const one = await agents.enrolled(organizationId, { serial: 'A', uuid: 'A' })
  const other = await agents.enrolled(organizationId, { serial: 'B', uuid: 'B' })
  const id = await make.liveQuery(organizationId, { deviceIds: [one.deviceId] })
  assert.deepEqual((await other.client.read()).queries, {})
  const [name = ''] = Object.keys((await one.client.read()).queries)
  await other.client.write({ [name]: { rows: [] } })
  await one.client.write({ [name.replace('/1/', '/2/')]: { rows: [] }, [`campaign/${id}`]: { rows: [] } })
  assert.deepEqual(await countsOf(organizationId, id), [1, 0, 0])
})

test('after an edit the device runs the new SQL, and an answer to the old is not heard', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const [old = ''] = Object.keys((await client.read()).queries)
  agents.pass(1)
  await edit(organizationId, id, 'select 2')
  await client.write({ [old]: { rows: [{ pid: '1' }] } })
  assert.deepEqual(await countsOf(organizationId, id), [1, 0, 0])
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries), ['select 2'])
  await client.write(Object.fromEntries(Object.keys(queries).map((name) => [name, { rows: [] }])))
  const [result] = await resultsOf(organizationId, id)
  assert.deepEqual([result?.revision, result?.rows], [2, []])
  assert.deepEqual(await countsOf(organizationId, id), [0, 1, 0])
})

test('a deleted live query is not asked anymore, and a late answer to it is not heard', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const asked = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const [name = ''] = Object.keys((await client.read()).queries)
  const unasked = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  await remove(organizationId, asked)
  await remove(organizationId, unasked)
  assert.deepEqual((await client.read()).queries, {})
  assert.equal((await client.write({ [name]: { rows: [{ pid: '1' }] } })).text, '{}')
  agents.pass(300)
  assert.deepEqual((await client.read()).queries, {})
  assert.deepEqual(await database.db.selectFrom('live_query_results').select('id').execute(), [])
})

test('a device that was off is asked when it comes back, for seven days, and then given up', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const off = await make.device(organizationId)
  const gone = await make.device(organizationId)
  const id = await make.liveQuery(organizationId, { deviceIds: [deviceId, off.id, gone.id] })
  const dayMs = 86_400_000
  const at = (ms: number) => new Date(Date.parse(startOfTests) + ms).toISOString()
  assert.equal(await giveUpWaiting(database.db, at(7 * dayMs - 1)), 0)
  agents.pass(6 * 86_400)
  const [name = ''] = Object.keys((await client.read()).queries)
  await client.write({ [name]: { rows: [] } })
  assert.deepEqual(await countsOf(organizationId, id), [2, 1, 0])
  assert.equal(await giveUpWaiting(database.db, at(7 * dayMs)), 2)
  assert.equal(await giveUpWaiting(database.db, at(8 * dayMs)), 0)
  assert.deepEqual(await countsOf(organizationId, id), [0, 1, 2])
  const [, ...errors] = await resultsOf(organizationId, id)
  assert.deepEqual(
    errors.map(({ device_id, error_message, rows }) => [device_id, error_message, rows]),
    [off.id, gone.id].map((device) => [device, 'The device did not come online within seven days.', []]),
  )
})

test('results are dropped after their time, batch by batch, and the counts stay', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const old = await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  const recent = await make.liveQuery(organizationId, { deviceIds: [deviceId], at: agents.pass(86_400) })
  await client.answerAll(() => ({ rows: debPackages(1_000) }))
  const later = plusMs(agents.now(), 90 * 86_400_000)
  await dropOldResults(database.db, later)
  await dropOldResults(database.db, later)
  assert.deepEqual(await resultsOf(organizationId, old), [])
  const [kept] = await resultsOf(organizationId, recent)
  assert.ok(kept)
  const parts = await database.db.selectFrom('live_query_result_parts').select('result_id').distinct().execute()
  assert.deepEqual(parts, [{ result_id: kept.id }])
  assert.deepEqual(await countsOf(organizationId, old), [0, 1, 0])
})

testOnPostgres('a device of another process is asked soon after the commit', async () => {
  const organizationId = await organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  const elsewhere = await agents.another()
  const moved = elsewhere.client()
  moved.nodeKey = client.nodeKey
  assert.equal((await moved.read()).verdict.text, idle)
  await make.liveQuery(organizationId, { deviceIds: [deviceId] })
  await until(60_000, async () => Object.keys((await moved.read()).queries).length > 0, 20)
})

testOnPostgres('counts stay exact while devices answer, are deleted and the query is edited', async () => {
  const organizationId = await organization()
  const devices = await Promise.all(
    Array.from({ length: 12 }, (_, number) => `m${number}`).map(async (serial) => {
      const client = agents.client()
      await client.enroll(await agents.enrollmentSecret(organizationId), { serial, uuid: serial })
      return client
    }),
  )
  const ids = (await database.db.selectFrom('devices').select('id').orderBy('id').execute()).map(({ id }) => id)
  const id = await make.liveQuery(organizationId, { deviceIds: ids })
  for (let round = 0; round < 5; round += 1) {
    agents.pass(301)
    await Promise.all([
      ...devices.map((client, at) => client.answerAll(() => (at % 3 === 0 ? { status: 1 } : { rows: [] }))),
      edit(organizationId, id, `select ${round}`),
      transact(database.db, async (tx) => {
        const deletion = { deviceId: ids[round] ?? '' }
        await deleteDevice(tx, deletion, systemChange(organizationId, agents.now()))
      }),
    ])
    const actual = await database.db
      .selectFrom('live_query_targets')
      .innerJoin('devices', 'devices.id', 'live_query_targets.device_id')
      .where('devices.deleted_at', 'is', null)
      .select(['status', (build) => build.fn.countAll<number>().as('count')])
      .where('campaign_id', '=', id)
      .groupBy('status')
      .execute()
    const counted = new Map(actual.map(({ status, count }) => [status, Number(count)]))
    assert.deepEqual(
      await countsOf(organizationId, id),
      (['waiting', 'successful', 'errored'] as const).map((status) => counted.get(status) ?? 0),
    )
    const results = await resultsOf(organizationId, id)
    assert.equal(results.length, (counted.get('successful') ?? 0) + (counted.get('errored') ?? 0))
    assert.ok(results.every(({ revision }) => revision === round + 2))
  }
})
