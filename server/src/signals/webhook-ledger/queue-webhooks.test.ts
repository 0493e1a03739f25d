import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { transact } from '../../base/db/transact.ts'
import { notify, queueForEndpoint, queueWebhooks, webhookChannel } from './queue-webhooks.ts'

const database = testDatabase()
const make = makeIn(database)
let organizationId: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const destroyed = (id: number) => ({
  event: 'devices.destroyed' as const,
  data: { device_id: id, device_name: `Mac ${id}`, status: 'good' as const },
  ...{ deviceId: String(id), orderedBy: String(id), cause: 'test', at: startOfTests },
})

test('messages of one transaction keep their order, for each endpoint', async () => {
  const endpoints = [
    await make.webhookEndpoint(organizationId, { events: ['devices.destroyed'] }),
    await make.webhookEndpoint(organizationId, { events: ['issues.new', 'devices.destroyed'] }),
  ]
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1)
  await transact(database.db, (tx) => queueWebhooks(tx, organizationId, numbers.map(destroyed)))
  for (const { id } of endpoints) {
    const rows = await database.db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', id)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      rows.map((row) => [row.device_id, row.ordered_by, row.next_attempt_at, row.attempts]),
      numbers.map((number) => [String(number), String(number), startOfTests, 0]),
    )
  }
})

test('a test goes to the one endpoint, whatever it chose', async () => {
  const endpoint = await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  await make.webhookEndpoint(organizationId)
  const message = {
    ...{ event: 'webhook.test' as const, data: { message: 'Hello' } },
    ...{ deviceId: null, orderedBy: null, cause: 'test', at: startOfTests },
  }
  const id = await transact(database.db, (tx) =>
    queueForEndpoint(tx, { organizationId, endpointId: endpoint.id, message }),
  )
  const rows = await database.db.selectFrom('webhook_deliveries').selectAll().execute()
  assert.deepEqual(
    rows.map((row) => [row.id, row.endpoint_id, row.event, row.state]),
    [[id, endpoint.id, 'webhook.test', 'pending']],
  )
  const { body, message_id } = await database.db.selectFrom('webhook_messages').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(JSON.parse(body), {
    ...{ event: 'webhook.test', id: message_id, timestamp: '2026-11-20T10:00:00Z', cause: 'test' },
    data: { message: 'Hello' },
  })
})

test('deliverers hear of an organization whose endpoints have something new, once it is committed', async () => {
  const heard: string[] = []
  const unlisten = await database.connection.listen(
    webhookChannel,
    (id) => heard.push(id),
    () => {},
  )
  await make.webhookEndpoint(organizationId, { events: ['devices.destroyed'] })
  const quiet = (await make.organization()).id
  await transact(database.db, (tx) => queueWebhooks(tx, quiet, [destroyed(1)]))
  const failing = transact(database.db, async (tx) => {
    await queueWebhooks(tx, organizationId, [destroyed(1)])
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  await transact(database.db, (tx) => queueWebhooks(tx, organizationId, [destroyed(1)]))
  await transact(database.db, (tx) => notify(tx, 'the last'))
  await until(5_000, async () => heard.includes('the last'))
  assert.deepEqual(heard, [organizationId, 'the last'])
  await unlisten()
})
