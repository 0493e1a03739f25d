import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { baseUrl, testApp } from '../../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { webhookRowsIn } from '../../../../test/support/webhook-rows.ts'
import { plusMs } from '../../../base/time.ts'

const app = testApp()
const make = makeIn(app.database)
const rows = webhookRowsIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(() => app.reset())

const pathOf = (endpointId: string) => `/webhook_endpoints/${endpointId}/deliveries`

test('listWebhookDeliveries, getWebhookDelivery: a delivery from its queueing to its end', async () => {
  const { organizationId } = app.tenant
  const endpoint = await make.webhookEndpoint(organizationId)
  const device = await make.device(organizationId)
  const row = await rows.delivery(endpoint, { device_id: device.id })
  const message = await app.db.selectFrom('webhook_messages').selectAll().executeTakeFirstOrThrow()
  const path = pathOf(endpoint.id)
  const queued = {
    id: row.id,
    message_id: message.message_id,
    event: 'device_trust.status_changed',
    device: { identifier: device.id, link: `${baseUrl}/devices/${device.id}` },
    state: 'pending',
    attempts_count: 0,
    probes_count: 0,
    last_status: null,
    last_error: null,
    queued_at: startOfTests,
    settled_at: null,
    next_attempt_at: startOfTests,
    resent_from: null,
  }
  assert.deepEqual((await app.ask('GET', path)).body.data, [queued])
  const one = () => app.ask('GET', `${path}/${row.id}`)
  assert.deepEqual((await one()).body, { ...queued, request_body: message.body, attempts: [] })

  await rows.attempt(row, { status: null, error: 'The connection was refused', first_byte_ms: 0, total_ms: 3 })
  await rows.attempt(row, { attempted_at: minute(1), status: 503, error: 'It answered 503', response: 'no\n' })
  const failed = { attempts: 2, extra_attempts: 1, last_status: 503, last_error: 'It answered 503' }
  await app.db
    .updateTable('webhook_deliveries')
    .set({ ...failed, next_attempt_at: minute(3) })
    .execute()
  const retried = { ...queued, attempts_count: 2, probes_count: 1, last_status: 503, last_error: 'It answered 503' }
  assert.deepEqual((await app.ask('GET', path)).body.data, [{ ...retried, next_attempt_at: minute(3) }])
  const sent = { request_headers: { 'content-type': 'application/json' } }
  const dial = { dns_ms: 1, connect_ms: 2, tls_ms: 3 }
  assert.deepEqual((await one()).body, {
    ...{ ...retried, next_attempt_at: minute(3), request_body: message.body },
    attempts: [
      {
        ...{ ...sent, attempted_at: minute(1), status: 503, error: 'It answered 503', response: 'no\n' },
        timings: { ...dial, first_byte_ms: 10, total_ms: 12.5 },
      },
      {
        ...{ ...sent, attempted_at: startOfTests, status: null, error: 'The connection was refused', response: null },
        timings: { ...dial, first_byte_ms: 0, total_ms: 3 },
      },
    ],
  })
  await app.db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', settled_at: minute(4), next_attempt_at: null })
    .execute()
  assert.deepEqual((await app.ask('GET', path)).body.data, [
    { ...retried, state: 'failed', settled_at: minute(4), next_attempt_at: null },
  ])
})

test('of more than a hundred attempts the latest hundred are shown', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const row = await rows.delivery(endpoint, { attempts: 102 })
  for (let index = 0; index < 102; index += 1) await rows.attempt(row, { attempted_at: minute(index) })
  const { body } = await app.ask('GET', `${pathOf(endpoint.id)}/${row.id}`)
  assert.deepEqual(
    body.attempts.map((attempt: { attempted_at: string }) => attempt.attempted_at),
    Array.from({ length: 100 }, (_, index) => minute(101 - index)),
  )
})

test('nothing is due of an endpoint that is disabled', async () => {
  const now = startOfTests
  const disabled = { disabled_at: now, disabled_reason: 'failing' } as const
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId, disabled)
  await rows.delivery(endpoint)
  const [row] = (await app.ask('GET', pathOf(endpoint.id))).body.data
  assert.deepEqual([row.state, row.next_attempt_at], ['pending', null])
})

test('the log is paged newest first and searched, and shows only the endpoint that was asked for', async () => {
  const { organizationId } = app.tenant
  const [endpoint, other] = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  const device = await make.device(organizationId)
  const [first, second, third] = [
    await rows.delivery(endpoint, { queued_at: minute(0), state: 'delivered', last_status: 204 }),
    await rows.delivery(endpoint, { queued_at: minute(1), state: 'failed', last_status: 503, event: 'issues.new' }),
    await rows.delivery(endpoint, { queued_at: minute(2), device_id: device.id }),
  ]
  const repeat = await rows.delivery(endpoint, {
    ...{ message_id: first.message_id, resent_from: first.id, queued_at: minute(3) },
  })
  await rows.delivery(other, { message_id: first.message_id, device_id: device.id })
  const { message_id: ulid } = await app.db
    .selectFrom('webhook_messages')
    .select('message_id')
    .where('id', '=', first.message_id)
    .executeTakeFirstOrThrow()
  const path = pathOf(endpoint.id)
  const found = async (query: string) => {
    const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map((row: { id: string }) => row.id)
  }
  assert.deepEqual(await found(''), [repeat.id, third.id, second.id, first.id])
  assert.deepEqual(await found(`message_id:${ulid}`), [repeat.id, first.id])
  assert.deepEqual(await found('event:issues.new'), [second.id])
  assert.deepEqual(await found('state:pending'), [repeat.id, third.id])
  assert.deepEqual(await found(`device_id:${device.id}`), [third.id])
  assert.deepEqual(await found('last_status:["204","503"]'), [second.id, first.id])
  assert.deepEqual(await found('last_status:null AND state:pending'), [repeat.id, third.id])
  assert.deepEqual(await found(`queued_at>"${minute(1)}" OR id:${first.id}`), [repeat.id, third.id, first.id])
  const page = await app.ask('GET', `${path}?per_page=3`)
  const { next_cursor: cursor } = page.body.pagination
  const rest = await app.ask('GET', `${path}?per_page=3&cursor=${cursor}`)
  assert.deepEqual([page.body.data.length, rest.body.data.length], [3, 1])
  assert.equal((await app.ask('GET', `${pathOf(other.id)}?cursor=${cursor}`)).status, 400)
})

test('unknown, foreign and deleted endpoints and deliveries of another are one and the same 404', async () => {
  const { organizationId } = app.tenant
  const [endpoint, other] = [await make.webhookEndpoint(organizationId), await make.webhookEndpoint(organizationId)]
  const own = await rows.delivery(endpoint)
  const foreign = await rows.delivery(await make.webhookEndpoint((await app.addTenant()).organizationId))
  const gone = await rows.delivery(await make.webhookEndpoint(organizationId, { deleted_at: startOfTests }))
  for (const path of [
    ...[foreign, gone].flatMap(({ endpoint_id, id }) => [pathOf(endpoint_id), `${pathOf(endpoint_id)}/${id}`]),
    pathOf('900000000000000001'),
    pathOf('x'),
    `${pathOf(other.id)}/${own.id}`,
    `${pathOf(endpoint.id)}/${foreign.id}`,
    `${pathOf(endpoint.id)}/x`,
  ]) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body], [404, { error: 'not_found', message: 'There is no such record.' }], path)
  }
})

test('only keys that manage webhooks read the log, repeat and test', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const { id } = await rows.delivery(endpoint, { state: 'failed' })
  const base = `/webhook_endpoints/${endpoint.id}`
  for (const [method, path, body] of [
    ['GET', 'deliveries', undefined],
    ['GET', `deliveries/${id}`, undefined],
    ['POST', `deliveries/${id}/resend`, undefined],
    ['POST', 'resend', { from: startOfTests }],
    ['POST', 'test', {}],
  ] as const) {
    const { status } = await app.ask(method, `${base}/${path}`, { key: app.tenant.readOnlyKey, body })
    assert.equal(status, 403, path)
  }
})
