import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { webhookExample } from '@muster/contract/webhook-examples.ts'
import { testApp } from '../../../../test/support/app.ts'
import { type HookReceiver, openHookReceiver } from '../../../../test/support/hook-receivers.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { answerWith, outboundOfTests } from '../../../../test/support/receivers.ts'
import { systemClock } from '../../../base/clock.ts'
import { transact } from '../../../base/db/transact.ts'
import { createLogger } from '../../../base/logging.ts'
import { queueWebhooks } from '../../webhook-ledger/queue-webhooks.ts'
import { startDeliveries } from '../deliver/start-deliveries.ts'
import { generateSecret, sealHeaders, sealSecret } from '../endpoint-secret.ts'

const app = testApp()
const make = makeIn(app.database)
const receivers: HookReceiver[] = []
after(() => Promise.all(receivers.map((receiver) => receiver.close())))

beforeEach(() => app.reset())

/** An endpoint with a receiver of its own, which wants a header. */
async function openEndpoint() {
  const { organizationId } = app.tenant
  const receiver = await openHookReceiver()
  receivers.push(receiver)
  const { id } = await make.webhookEndpoint(organizationId, { url: receiver.url })
  const place = { organizationId, endpointId: id }
  await app.db
    .updateTable('webhook_endpoints')
    .set({
      sealed_secret: sealSecret(app.secrets, generateSecret(), place),
      sealed_headers: sealHeaders(app.secrets, { 'x-api-key': 'hunter2' }, place),
    })
    .where('id', '=', id)
    .execute()
  return { path: `/webhook_endpoints/${id}`, receiver }
}

async function delivering(work: () => Promise<void>): Promise<void> {
  const { connection } = app.database
  const outbound = outboundOfTests()
  const parts = { connection, secrets: app.secrets, clock: systemClock, log: createLogger('silent'), outbound }
  const deliveries = await startDeliveries(parts)
  try {
    await work()
  } finally {
    await deliveries.stop()
    await outbound.close()
  }
}

const queue = (...deviceIds: number[]) =>
  transact(app.db, (tx) =>
    queueWebhooks(
      tx,
      app.tenant.organizationId,
      deviceIds.map((id) => ({
        event: 'device_trust.status_changed' as const,
        data: { device_id: id, device_name: 'Mac', device_status: 'good' as const, device_url: 'https://x.test/1' },
        ...{ deviceId: String(id), orderedBy: String(id), cause: 'test', at: app.now() },
      })),
    ),
  )

const list = async (path: string, query = '') =>
  (await app.ask('GET', `${path}/deliveries?query=${encodeURIComponent(query)}`)).body.data

const isSettled = (path: string) => until(10_000, async () => (await list(path, 'state:pending')).length === 0)

test('the log tells of a test event what its receiver saw and said', async () => {
  const { path, receiver } = await openEndpoint()
  receiver.answer = answerWith(200, 'Thank you')
  await delivering(async () => {
    await app.ask('POST', `${path}/test`, { body: { message: 'Does this arrive?' } })
    await isSettled(path)
  })
  const [hook, ...others] = receiver.received
  assert.ok(hook && others.length === 0)
  const [{ id, settled_at: settledAt }] = await list(path)
  const { body } = await app.ask('GET', `${path}/deliveries/${id}`)
  const [attempt] = body.attempts
  assert.deepEqual(body, {
    ...{ id, message_id: hook.id, event: 'webhook.test', device: { identifier: '', link: null } },
    ...{
      state: 'delivered',
      attempts_count: 1,
      probes_count: 0,
      last_status: 200,
      last_error: null,
      queued_at: app.now(),
    },
    ...{ settled_at: settledAt, next_attempt_at: null, resent_from: null, request_body: hook.body },
    attempts: [{ ...attempt, status: 200, error: null, response: 'Thank you' }],
  })
  for (const [name, value] of Object.entries(attempt.request_headers)) {
    assert.equal(value, name === 'x-api-key' ? '********' : hook.headers[name], name)
  }
  assert.equal(hook.headers['x-api-key'], 'hunter2')
  const { tls_ms: tlsMs, first_byte_ms: firstByteMs, total_ms: totalMs } = attempt.timings
  assert.ok(tlsMs > 0 && firstByteMs > tlsMs && totalMs >= firstByteMs)
})

test('what was given up is sent again on request: the same to the byte, in its order, and the log counts all of it', async () => {
  const { path, receiver } = await openEndpoint()
  receiver.answer = answerWith(500)
  const devices = [1, 2, 1, 2, 1, 3]
  await delivering(async () => {
    await queue(...devices)
    await until(10_000, async () => receiver.received.length >= 3)
  })
  const before = [...receiver.received]
  // As the end of the schedule leaves them.
  await app.db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', settled_at: app.now(), next_attempt_at: null })
    .execute()
  receiver.answer = answerWith(204)
  app.setNow('2026-11-20T11:00:00.000Z')
  await delivering(async () => {
    const { body } = await app.ask('POST', `${path}/resend`, { body: { from: '2026-11-20' } })
    assert.equal(body.resent_count, devices.length)
    await isSettled(path)
  })
  const repeats = receiver.received.slice(before.length)
  for (const device of [1, 2, 3]) {
    const ids = repeats.filter(({ data }) => data.device_id === device).map((hook) => hook.id)
    const messages = await list(path, `device_id:${device} AND state:failed`)
    assert.deepEqual(ids, messages.map(({ message_id: id }: { message_id: string }) => id).toReversed())
  }
  for (const hook of before) assert.equal(repeats.find(({ id }) => id === hook.id)?.body, hook.body)
  const log = await list(path)
  const sum = log.reduce((total: number, { attempts_count: count }: { attempts_count: number }) => total + count, 0)
  assert.deepEqual([log.length, sum], [2 * devices.length, receiver.received.length])
  const again = await app.ask('POST', `${path}/resend`, { body: { from: '2026-11-20' } })
  assert.equal(again.body.resent_count, 0, 'nothing is left to send')
})

test('testWebhookEndpoint sends an example of any event, and of none that there is not', async () => {
  const { path } = await openEndpoint()
  const audited = async () => (await app.ask('GET', '/audit_logs?per_page=1')).body.data[0].description
  const { body } = await app.ask('POST', `${path}/test`, { body: { event: 'issues.new' } })
  const sent = JSON.parse(body.request_body)
  assert.deepEqual(
    [body.event, body.state, sent.event, sent.id],
    ['issues.new', 'pending', 'issues.new', body.message_id],
  )
  assert.deepEqual(sent.data, webhookExample('issues.new').data)
  assert.match(await audited(), /^Sent an example of the event "issues\.new" to the webhook endpoint at "/)
  assert.equal((await app.ask('POST', `${path}/test`, { body: { event: 'webhook.test' } })).body.event, 'webhook.test')
  assert.equal((await app.ask('POST', `${path}/test`, { body: { event: 'nothing' } })).status, 422)
})
