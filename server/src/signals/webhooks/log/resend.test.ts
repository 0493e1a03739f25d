import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../../test/support/app.ts'
import { testOnPostgres } from '../../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { rowVersions } from '../../../../test/support/row-versions.ts'
import { webhookRowsIn } from '../../../../test/support/webhook-rows.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { resendRange } from './resend-deliveries.ts'

const app = testApp()
const make = makeIn(app.database)
const rows = webhookRowsIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(async () => {
  await app.reset()
  app.setNow(minute(60))
})

const resend = (endpointId: string, deliveryId: string) =>
  app.ask('POST', `/webhook_endpoints/${endpointId}/deliveries/${deliveryId}/resend`)
const resendAll = (endpointId: string, body: unknown) =>
  app.ask('POST', `/webhook_endpoints/${endpointId}/resend`, { body })

/** Which deliveries are repeated by those that wait, in the order of these. */
const repeated = async (endpointId: string) =>
  (
    await app.db
      .selectFrom('webhook_deliveries')
      .select('resent_from')
      .where('endpoint_id', '=', endpointId)
      .where('state', '=', 'pending')
      .orderBy('id')
      .execute()
  ).map(({ resent_from }) => resent_from)

const settle = (state: 'delivered' | 'failed') =>
  app.db
    .updateTable('webhook_deliveries')
    .set({ state, settled_at: minute(61), next_attempt_at: null })
    .where('state', '=', 'pending')
    .execute()

const audits = async () =>
  (
    await app.db
      .selectFrom('audit_logs')
      .select(['description', 'actor_name', 'ip_address'])
      .where('description', 'like', '% again.')
      .orderBy('id')
      .execute()
  ).map(({ description, actor_name, ip_address }) => [description, actor_name, ip_address])
const saidOnce = (what: string) => [
  `Sent ${what} to the webhook endpoint at "receiver.example.com" again.`,
  'Full access',
  '127.0.0.1',
]

test('resendWebhookDelivery: a new delivery of the same message, due at once, whatever became of the first', async () => {
  const { organizationId } = app.tenant
  const endpoint = await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  const device = await make.device(organizationId)
  for (const state of ['delivered', 'failed'] as const) {
    const old = await rows.delivery(endpoint, {
      ...{ state, device_id: device.id, ordered_by: device.id, attempts: 3, last_status: 500, last_error: 'No' },
    })
    const { body: before } = await app.ask('GET', `/webhook_endpoints/${endpoint.id}/deliveries/${old.id}`)
    const { status, body } = await resend(endpoint.id, old.id)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      ...{
        ...before,
        id: body.id,
        state: 'pending',
        attempts_count: 0,
        probes_count: 0,
        last_status: null,
        last_error: null,
      },
      ...{ queued_at: minute(60), settled_at: null, next_attempt_at: minute(60), resent_from: old.id },
    })
    const stored = await app.db
      .selectFrom('webhook_deliveries')
      .select(['message_id', 'ordered_by'])
      .where('id', '=', body.id)
      .execute()
    assert.deepEqual(stored, [{ message_id: old.message_id, ordered_by: device.id }])
    const { body: after } = await app.ask('GET', `/webhook_endpoints/${endpoint.id}/deliveries/${old.id}`)
    assert.deepEqual(after, before)
  }
  assert.deepEqual(await audits(), Array(2).fill(saidOnce('a delivery')))
})

test('what waits already is not queued a second time, as itself or as a repeat', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const waiting = await rows.delivery(endpoint)
  const failed = await rows.delivery(endpoint, { state: 'failed' })
  const other = await make.webhookEndpoint(app.tenant.organizationId)
  await rows.delivery(other, { message_id: failed.message_id })
  assert.equal((await resend(endpoint.id, failed.id)).status, 200, 'what waits for another endpoint does not matter')
  const before = await rowVersions(app.db)
  for (const { id } of [waiting, failed]) {
    const { status, body } = await resend(endpoint.id, id)
    const message = 'This is already waiting to be delivered.'
    assert.deepEqual(
      [status, body],
      [422, { error: 'delivery_pending', message, errors: [{ field: 'deliveryId', message }] }],
    )
  }
  assert.deepEqual(await rowVersions(app.db), before)
  await settle('failed')
  assert.equal((await resend(endpoint.id, failed.id)).status, 200)
})

test('what is being retried is sent now, once, and uses up none of its schedule', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const failed = await rows.delivery(endpoint, { state: 'failed' })
  const later = { attempts: 3, extra_attempts: 1, next_attempt_at: minute(90), last_status: 503 }
  const retried = await rows.delivery(endpoint, { ...later, message_id: failed.message_id, resent_from: failed.id })
  const stored = () =>
    app.db
      .selectFrom('webhook_deliveries')
      .select(['id', 'state', 'attempts', 'extra_attempts', 'next_attempt_at'])
      .where('state', '=', 'pending')
      .execute()
  const { status, body } = await resend(endpoint.id, retried.id)
  assert.deepEqual([status, body.id, body.state, body.next_attempt_at], [200, retried.id, 'pending', minute(60)])
  assert.deepEqual([body.attempts_count, body.probes_count], [3, 2])
  const due = { id: retried.id, state: 'pending', attempts: 3, extra_attempts: 2, next_attempt_at: minute(60) }
  assert.deepEqual(await stored(), [due])
  assert.deepEqual(await audits(), [saidOnce('a delivery')])
  const before = await rowVersions(app.db)
  for (const { id } of [retried, failed]) assert.equal((await resend(endpoint.id, id)).status, 422, 'it is due already')
  assert.deepEqual(await rowVersions(app.db), before)
  await app.db.updateTable('webhook_deliveries').set(later).where('id', '=', retried.id).execute()
  const byOriginal = await resend(endpoint.id, failed.id)
  assert.deepEqual([byOriginal.status, byOriginal.body.id], [200, retried.id], 'the repeat that is being retried')
  for (let asked = 0; asked < 5; asked += 1) {
    await app.db
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: minute(90) })
      .where('state', '=', 'pending')
      .execute()
    await resend(endpoint.id, retried.id)
  }
  assert.equal((await stored())[0]?.extra_attempts, 3, 'no more than there were attempts')
})

test('to send again what is being retried takes the same right, in the own organization', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const { id } = await rows.delivery(endpoint, { attempts: 1, next_attempt_at: minute(90) })
  const path = `/webhook_endpoints/${endpoint.id}/deliveries/${id}/resend`
  const other = await app.addTenant('Other')
  const reader = await app.addKey([])
  const before = await rowVersions(app.db)
  assert.equal((await app.ask('POST', path, { key: other.key })).status, 404)
  assert.equal((await app.ask('POST', path, { key: reader })).status, 403)
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a disabled endpoint is sent nothing again, nor tested', async () => {
  const disabled = { disabled_at: startOfTests, disabled_reason: 'by_admin' } as const
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId, disabled)
  const { id } = await rows.delivery(endpoint, { state: 'failed' })
  const before = await rowVersions(app.db)
  const message = 'The endpoint is disabled: enable it first.'
  for (const answer of [
    await resend(endpoint.id, id),
    await resendAll(endpoint.id, { from: startOfTests }),
    await app.ask('POST', `/webhook_endpoints/${endpoint.id}/test`, { body: {} }),
  ]) {
    const refusal = { error: 'endpoint_disabled', message, errors: [{ field: 'endpointId', message }] }
    assert.deepEqual([answer.status, answer.body], [422, refusal])
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

test('resendWebhookDeliveries: all that failed in a range, in its order, and asking twice changes nothing', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const made = []
  for (const [index, state] of (['failed', 'delivered', 'failed', 'failed', 'failed'] as const).entries()) {
    made.push(await rows.delivery(endpoint, { state, queued_at: minute(index) }))
  }
  await rows.delivery(endpoint, { queued_at: minute(2) })
  const range = { from: minute(2), to: minute(4) }
  const { status, body } = await resendAll(endpoint.id, range)
  assert.deepEqual([status, body], [200, { resent_count: 2, to: minute(4), next_after_id: null }])
  assert.deepEqual(await repeated(endpoint.id), [null, made[2]?.id, made[3]?.id])
  assert.deepEqual(await audits(), [saidOnce('2 deliveries')])
  const before = await rowVersions(app.db)
  assert.equal((await resendAll(endpoint.id, range)).body.resent_count, 0)
  assert.deepEqual(await rowVersions(app.db), before)
  const all = await resendAll(endpoint.id, { from: startOfTests })
  assert.deepEqual(all.body, { resent_count: 2, to: minute(60), next_after_id: null })
  assert.deepEqual((await repeated(endpoint.id)).slice(3), [made[0]?.id, made[4]?.id])
})

test('of a message that was delivered since nothing is sent, and of one that failed twice one repeat', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const [first, second] = [
    await rows.delivery(endpoint, { state: 'failed', queued_at: minute(1) }),
    await rows.delivery(endpoint, { state: 'failed', queued_at: minute(2) }),
  ]
  const range = { from: startOfTests }
  await resend(endpoint.id, first.id)
  await settle('failed')
  app.setNow(minute(70))
  assert.equal((await resendAll(endpoint.id, range)).body.resent_count, 2)
  assert.deepEqual(await repeated(endpoint.id), [first.id, second.id])
  await settle('delivered')
  app.setNow(minute(80))
  assert.equal((await resendAll(endpoint.id, range)).body.resent_count, 0)
  const delivered = { ...range, states: ['delivered'] }
  assert.equal((await resendAll(endpoint.id, delivered)).body.resent_count, 2, 'they are sent when they are asked for')
  await settle('delivered')
  assert.equal((await resendAll(endpoint.id, { ...delivered, to: minute(75) })).body.resent_count, 2)
})

test('repeats are in the order of the messages, also where one was repeated before', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const first = await rows.delivery(endpoint, { state: 'failed', queued_at: minute(1) })
  const second = await rows.delivery(endpoint, { state: 'failed', queued_at: minute(10) })
  const again = await rows.delivery(endpoint, {
    ...{ message_id: first.message_id, state: 'failed', queued_at: minute(11), resent_from: first.id },
  })
  await resendAll(endpoint.id, { from: minute(5) })
  assert.deepEqual(await repeated(endpoint.id), [again.id, second.id])
})

test('a long range is done in parts, each saying where the next begins', async () => {
  const { organizationId } = app.tenant
  const endpoint = await make.webhookEndpoint(organizationId)
  const ids: string[] = []
  for (let index = 0; index < 5; index += 1) {
    ids.push((await rows.delivery(endpoint, { state: 'delivered', queued_at: minute(index) })).id)
  }
  const part = (afterId: string) => {
    const range = { from: startOfTests, to: minute(60), states: ['delivered'] as const, afterId }
    const asked = { endpointId: endpoint.id, range, most: 2 }
    return transact(app.db, (tx) => resendRange(tx, asked, systemChange(organizationId, app.now())))
  }
  const [, second = '', , fourth = ''] = ids
  assert.deepEqual(await part('0'), { count: 2, goOnAfter: second })
  await settle('delivered')
  app.setNow(minute(61))
  assert.deepEqual(await part(second), { count: 2, goOnAfter: fourth })
  await settle('delivered')
  assert.deepEqual(await part(fourth), { count: 1, goOnAfter: null })
  assert.deepEqual(await repeated(endpoint.id), [ids[4]])
})

test('what cannot be a range is refused', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const fieldsOf = async (body: unknown) => {
    const { status, body: refusal } = await resendAll(endpoint.id, body)
    assert.equal(status, 422, JSON.stringify(body))
    return refusal.errors.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await fieldsOf({}), ['from'])
  assert.deepEqual(await fieldsOf({ from: '2026-02-30' }), ['from'])
  assert.deepEqual(await fieldsOf({ from: minute(1), to: 'now' }), ['to'])
  assert.deepEqual(await fieldsOf({ from: minute(1), after_id: '7' }), ['to'])
  assert.deepEqual(await fieldsOf({ from: minute(1), states: ['pending'] }), ['states/0'])
  const nothing = await resendAll(endpoint.id, { from: minute(2), to: '2999-01-01' })
  assert.deepEqual(nothing.body, { resent_count: 0, to: minute(60), next_after_id: null })
  assert.deepEqual(await audits(), [])
})

testOnPostgres('two who repeat the same at the same time make one repeat of it', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  const { id } = await rows.delivery(endpoint, { state: 'failed' })
  const answers = await Promise.all([
    ...[1, 2, 3].map(() => resend(endpoint.id, id)),
    ...[1, 2, 3].map(() => resendAll(endpoint.id, { from: startOfTests })),
  ])
  const made = answers.filter(({ status, body }) => status === 200 && body.resent_count !== 0)
  assert.deepEqual([made.length, await repeated(endpoint.id)], [1, [id]])
})

test('testWebhookEndpoint: a test event for this endpoint alone, whatever it chose', async () => {
  const { organizationId } = app.tenant
  const endpoint = await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  await make.webhookEndpoint(organizationId, { events: ['issues.new'] })
  const path = `/webhook_endpoints/${endpoint.id}/test`
  const { status, body } = await app.ask('POST', path, { body: { message: 'Does this arrive?' } })
  assert.equal(status, 200)
  const envelope = JSON.parse(body.request_body)
  assert.deepEqual(envelope, {
    event: 'webhook.test',
    id: body.message_id,
    timestamp: minute(60).replace('.000Z', 'Z'),
    cause: envelope.cause,
    data: { message: 'Does this arrive?' },
  })
  assert.deepEqual(
    { ...body, request_body: '' },
    {
      ...{ id: body.id, message_id: envelope.id, event: 'webhook.test', state: 'pending', attempts: [] },
      ...{
        device: { identifier: '', link: null },
        attempts_count: 0,
        probes_count: 0,
        last_status: null,
        last_error: null,
      },
      ...{ queued_at: minute(60), settled_at: null, next_attempt_at: minute(60), resent_from: null, request_body: '' },
    },
  )
  assert.equal((await app.ask('POST', path, { body: {} })).status, 200)
  const deliveries = await app.db.selectFrom('webhook_deliveries').select('endpoint_id').execute()
  assert.deepEqual(deliveries, Array(2).fill({ endpoint_id: endpoint.id }))
  const entry = { description: 'Sent a test event to the webhook endpoint at "receiver.example.com".' }
  assert.deepEqual(
    await app.db
      .selectFrom('audit_logs')
      .select(['description', 'ip_address'])
      .where('description', 'like', '%test event%')
      .execute(),
    Array(2).fill({ ...entry, ip_address: '127.0.0.1' }),
  )
})

test('a message that no row could keep is refused, and a long one', async () => {
  const endpoint = await make.webhookEndpoint(app.tenant.organizationId)
  for (const message of ['', 'a\u0000b', 'a\ud800b', 'x'.repeat(1_001)]) {
    const { status } = await app.ask('POST', `/webhook_endpoints/${endpoint.id}/test`, { body: { message } })
    assert.equal(status, 422, JSON.stringify(message))
  }
})
