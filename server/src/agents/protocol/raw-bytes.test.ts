import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import { inventoryQueries } from '../../reporting/catalogue/catalogue.ts'
import { listTableRecords } from '../../reporting/list-table-records.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

test('an address that is raw bytes, as other agents and other queries give it, is stored and shown without harm', async () => {
  const { id: organizationId } = await make.organization({ disabled_features: [] })
  const { client, deviceId } = await agents.enrolled(organizationId)
  const query = inventoryQueries.linux.get('device_logged_in_users') ?? assert.fail()
  const hosts = [' \0\u0001\0', 'half \ud800', '\udc00 half', 'BYTES', '\u001b[2J\u202e<b>']
  const snapshot = hosts.map((host, index) => ({ username: `person-${index}`, type: 'active', host }))
  const name = `report/${query.table.name}/${query.version}`
  const unixTime = Math.floor(Date.parse(agents.now()) / 1000)
  const line = { name, unixTime, action: 'snapshot', snapshot }
  const body = JSON.stringify({ node_key: client.nodeKey, log_type: 'result', data: [line] })
  const [before = '', after = ''] = body.split('BYTES')
  const bytes = Buffer.from([0xfe, 0x80, 0xc3, 0x28, 0xed, 0xa0, 0x80])
  const verdict = await client.call('/log', Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]), {})
  assert.equal(verdict.status, 200)
  const records = await listTableRecords(database.db, {
    ...{ organizationId, params: { tableName: query.table.name }, search: undefined, after: undefined },
    ...{ limit: 100, order: 'ascending', now: agents.now() },
  })
  assert.deepEqual(
    records.map(({ columns }) => [columns['device_id'], columns['username'], columns['host']]).sort(),
    [
      ' \ufffd\u0001\ufffd',
      'half \ufffd',
      '\ufffd half',
      '\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd',
      '\u001b[2J\u202e<b>',
    ].map((host, index) => [deviceId, `person-${index}`, host]),
  )
})
