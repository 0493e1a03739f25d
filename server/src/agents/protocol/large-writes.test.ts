import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import type { OsqueryQuirks } from '../../../test/support/osquery-client.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(async () => {
  await agents.reset()
  agents.server.logged.length = 0
})

const passing = JSON.stringify([{ KOLIDE_CHECK_STATUS: 'PASS' }])
/** An answer that is longer than a write may be. */
const tooLong = JSON.stringify([{ KOLIDE_CHECK_STATUS: 'PASS', text: 'x'.repeat(16 * 2 ** 20) }])
/** An answer of more rows than a write may have. */
const tooMany = `[${'{"KOLIDE_CHECK_STATUS":"PASS"},'.repeat(200_000)}{}]`

/** A device that is asked checks, and the names of its questions by the number that each selects. */
async function asked(checks: number, quirks: OsqueryQuirks = {}) {
  const { id: organizationId } = await make.organization()
  for (let number = 1; number <= checks; number += 1) {
    await make.check(organizationId, { sql_template: `select ${number} as number` })
  }
  const device = await agents.enrolled(organizationId, {}, quirks)
  const { queries } = await device.client.read()
  const names = Object.entries(queries).toSorted(([, one], [, other]) => (one < other ? -1 : 1))
  return { ...device, organizationId, names: names.map(([name]) => JSON.stringify(name)) }
}

const statusesOf = async (deviceId: string) => {
  const rows = await database.db
    .selectFrom('check_results')
    .select('status')
    .where('device_id', '=', deviceId)
    .orderBy('check_id')
    .execute()
  return rows.map(({ status }) => status)
}

const lasts: [what: string, answer: string][] = [
  ['too long', tooLong],
  ['of too many rows', tooMany],
]
for (const [what, answer] of lasts) {
  test(`an answer that is ${what} does not cost the one before it`, async () => {
    const { client, deviceId, organizationId, names } = await asked(2)
    const [one = '', other = ''] = names
    const body = `{"queries":{${one}:${passing},${other}:${answer}},"statuses":{${one}:0,${other}:0},"node_key":"${client.nodeKey}"}`
    const verdict = await client.call('/distributed/write', Buffer.from(body))
    assert.deepEqual([verdict.status, verdict.text], [200, '{}'])
    assert.deepEqual(await statusesOf(deviceId), ['passing', 'errored'])
    assert.deepEqual(agents.server.logged, [
      {
        message: 'a distributed write was longer than is taken: its last answers were dropped',
        fields: { organizationId, deviceId },
      },
    ])
  })
}

test('a node key at the start of a write tells whose it is when its end is lost', async () => {
  const { client, deviceId, names } = await asked(2, { sendsHeader: false })
  const [one = '', other = ''] = names
  const body = `{"node_key":"${client.nodeKey}","queries":{${one}:${passing},${other}:${tooLong}}}`
  assert.equal((await client.call('/distributed/write', Buffer.from(body))).text, '{}')
  assert.deepEqual(await statusesOf(deviceId), ['passing', 'errored'])
})

test('a write that is too large and whose sender is not known is refused', async () => {
  const { client, deviceId, names } = await asked(1, { sendsHeader: false })
  const body = `{"queries":{${names[0]}:${passing},"other":${tooLong}},"node_key":"${client.nodeKey}"}`
  assert.equal((await client.call('/distributed/write', Buffer.from(body))).status, 413)
  assert.deepEqual(await statusesOf(deviceId), ['pending'])
})

test('of a write that has lost its end, an answer without rows counts only if its status says that it failed', async () => {
  const { client, deviceId, names } = await asked(4)
  const [one = '', two = '', three = '', four = ''] = names
  const body = `{"statuses":{${one}:1,${two}:0,${four}:0},"messages":{${one}:"no such table"},
    "queries":{${one}:[],${two}:[],${three}:"",${four}:${passing},"other":${tooLong}}}`
  assert.equal((await client.call('/distributed/write', Buffer.from(body))).text, '{}')
  assert.deepEqual(await statusesOf(deviceId), ['errored', 'pending', 'pending', 'passing'])
})

test('a live query whose answer is whole is answered, and one whose answer is cut has failed', async () => {
  const { id: organizationId } = await make.organization()
  const { client, deviceId } = await agents.enrolled(organizationId)
  await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: 'select 1 as one' })
  await make.liveQuery(organizationId, { deviceIds: [deviceId], sql: 'select 2 as two' })
  const { queries } = await client.read()
  const [one = '', two = ''] = Object.entries(queries)
    .toSorted(([, before], [, after]) => (before < after ? -1 : 1))
    .map(([name]) => JSON.stringify(name))
  const body = `{"queries":{${one}:[{"one":"1"}],${two}:${tooLong}}}`
  assert.equal((await client.call('/distributed/write', Buffer.from(body))).text, '{}')
  const results = await database.db
    .selectFrom('live_query_results')
    .select(['row_count', 'error_message'])
    .orderBy('campaign_id')
    .execute()
  assert.deepEqual(results, [
    { row_count: 1, error_message: null },
    {
      row_count: 0,
      error_message:
        'The answer is larger than 16 MB, 200,000 rows or 1,500,000 values. Ask for fewer rows or columns.',
    },
  ])
})

for (const path of ['/config', '/distributed/read']) {
  test(`a body of ${path} that is too long is refused, also of a device that is known`, async () => {
    const { id: organizationId } = await make.organization()
    await make.check(organizationId)
    const { client } = await agents.enrolled(organizationId)
    const { status } = await client.call(path, { node_key: client.nodeKey, padding: 'x'.repeat(70_000) })
    assert.equal(status, 413)
    assert.deepEqual(agents.server.logged, [])
    assert.ok((await client.config()).accepted)
  })
}
