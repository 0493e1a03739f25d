import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../test/support/agent-server.ts'
import { makeIn, startOfTests } from '../../test/support/make.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(async () => {
  await database.reset()
  agents.setNow(startOfTests)
})

const passing = { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }
const failing = { rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }

const statusesOf = async (deviceId: string) => {
  const rows = await database.db
    .selectFrom('check_results')
    .select(['check_id', 'status'])
    .where('device_id', '=', deviceId)
    .orderBy('check_id')
    .execute()
  return rows.map(({ status }) => status)
}

test('a machine enrols, is asked its checks, and its answers become results', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId, { sql_template: 'select 1 as one' })
  await make.check(organizationId, { sql_template: 'select 2 as two' })
  const { client, deviceId } = await agents.enrolled(organizationId)
  const { queries } = await client.read()
  assert.deepEqual(Object.values(queries).sort(), ['select 1 as one', 'select 2 as two'])
  const answers = Object.entries(queries).map(([name, sql]) => [name, sql.includes('one') ? passing : failing])
  assert.equal((await client.write(Object.fromEntries(answers))).text, '{}')
  assert.deepEqual(await statusesOf(deviceId), ['passing', 'failing'])
  assert.deepEqual((await client.read()).queries, {})
})
