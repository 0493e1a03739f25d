import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { webhookRetryDelaysMs } from '@muster/contract/webhook-retries.ts'
import { testDatabase, testOnPostgres } from '../../../../test/support/database.ts'
import { type HookReceiver, openHookReceiver } from '../../../../test/support/hook-receivers.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { accept, answerWith, hang, outboundOfTests } from '../../../../test/support/receivers.ts'
import { systemChange } from '../../../base/change-context.ts'
import { systemClock } from '../../../base/clock.ts'
import { transact } from '../../../base/db/transact.ts'
import { createLogger } from '../../../base/logging.ts'
import { deliveryCounter } from '../../../base/outbound/count-deliveries.ts'
import { openSecrets } from '../../../base/secrets/secrets.ts'
import { notify, queueWebhooks } from '../../webhook-ledger/queue-webhooks.ts'
import { generateSecret, sealHeaders, sealSecret } from '../endpoint-secret.ts'
import { resendDelivery } from '../log/resend-deliveries.ts'
import { startDeliveries } from './start-deliveries.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const receivers: HookReceiver[] = []
after(() => Promise.all(receivers.map((receiver) => receiver.close())))

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const day = 86_400_000
const isoIn = (ms: number) => new Date(Date.now() + ms).toISOString()

type Columns = Parameters<typeof make.webhookEndpoint>[1]

/** An endpoint with a receiver of its own. */
async function openEndpoint(columns: Columns = {}) {
  const receiver = await openHookReceiver()
  receivers.push(receiver)
  const { id } = await make.webhookEndpoint(organizationId, { url: receiver.url, ...columns })
  const secret = generateSecret()
  const place = { organizationId, endpointId: id }
  await change(id, { sealed_secret: sealSecret(secrets, secret, place) })
  return { id, receiver, secret, place }
}

async function change(id: string, columns: NonNullable<Columns>): Promise<void> {
  await transact(database.db, async (tx) => {
    const values = { ...columns, updated_at: isoIn(0) }
    await tx.updateTable('webhook_endpoints').set(values).where('id', '=', id).execute()
    await notify(tx, organizationId)
  })
}

/** Runs `work` beside deliverers, as workers have them. */
async function delivering(
  work: () => Promise<void>,
  { deadlineMs = 15_000, deliverers = 1, clock = systemClock } = {},
): Promise<void> {
  const parts = { connection: database.connection, secrets, clock, log: createLogger('silent') }
  const started = await Promise.all(
    Array.from({ length: deliverers }, async () => {
      const outbound = outboundOfTests({ deadlineMs })
      return { outbound, deliveries: await startDeliveries({ ...parts, outbound }) }
    }),
  )
  try {
    await work()
  } finally {
    await Promise.all(started.map(({ deliveries }) => deliveries.stop()))
    await Promise.all(started.map(({ outbound }) => outbound.close()))
  }
}

async function queue(...deviceIds: number[]): Promise<void> {
  const messages = deviceIds.map((id) => ({
    event: 'device_trust.status_changed' as const,
    data: { device_id: id, device_name: `Mac ${id}`, device_status: 'good' as const, device_url: 'https://x.test/1' },
    ...{ deviceId: String(id), orderedBy: String(id), cause: 'test', at: isoIn(0) },
  }))
  await transact(database.db, (tx) => queueWebhooks(tx, organizationId, messages))
}

const deliveriesOf = (endpointId: string) =>
  database.db.selectFrom('webhook_deliveries').selectAll().where('endpoint_id', '=', endpointId).orderBy('id').execute()

const attemptsOf = (endpointId: string) =>
  database.db
    .selectFrom('webhook_attempt_log')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('id')
    .execute()

const settled = (endpointId: string, withinMs = 10_000) =>
  until(withinMs, async () => (await deliveriesOf(endpointId)).every(({ state }) => state === 'delivered'))

const devicesOf = ({ received }: HookReceiver) => received.map(({ data }) => data.device_id)

test('a webhook arrives signed, and the log tells what was sent and answered', async () => {
  const { id, receiver, secret } = await openEndpoint()
  receiver.answer = answerWith(200, 'Thanks\0')
  deliveryCounter.reset()
  await delivering(async () => {
    await queue(1)
    await settled(id)
  })
  const counted = [{ labels: { kind: 'webhook', outcome: 'delivered' }, value: 1 }]
  assert.deepEqual((await deliveryCounter.get()).values, counted)
  const [hook] = receiver.received
  assert.ok(hook)
  assert.equal(hook.headers.authorization, createHmac('sha256', secret).update(hook.body).digest('hex'))
  assert.equal(hook.headers['webhook-id'], hook.id)
  assert.equal(hook.headers['content-type'], 'application/json')
  const [delivery] = await deliveriesOf(id)
  assert.deepEqual([delivery?.attempts, delivery?.last_status, delivery?.last_error], [1, 200, null])
  assert.deepEqual([delivery?.next_attempt_at, delivery?.extra_attempts], [null, 0])
  const [attempt, ...others] = await attemptsOf(id)
  assert.ok(attempt && others.length === 0)
  const { request_headers: headers, status, error, response } = attempt
  assert.deepEqual([status, error, response], [200, null, 'Thanks\ufffd'])
  assert.equal(headers['webhook-signature'], hook.headers['webhook-signature'])
  assert.ok(attempt.tls_ms > 0 && attempt.total_ms >= attempt.first_byte_ms && attempt.first_byte_ms > 0)
  const standing = await database.db.selectFrom('webhook_standings').selectAll().executeTakeFirstOrThrow()
  assert.ok(standing.last_delivered_at !== null && standing.failing_since === null && standing.leased_by === null)
})

test('custom headers are sent and not told; while secrets overlap both sign, and afterwards one', async () => {
  const { id, receiver, place } = await openEndpoint()
  const previous = generateSecret()
  await change(id, {
    sealed_headers: sealHeaders(secrets, { 'x-api-key': 'hunter2' }, place),
    sealed_previous_secret: sealSecret(secrets, previous, place),
    previous_secret_until: isoIn(3_600_000),
  })
  await delivering(async () => {
    await queue(1)
    await settled(id)
    await change(id, { previous_secret_until: isoIn(-1) })
    await queue(2)
    await settled(id)
  })
  const [overlapping, later] = receiver.received
  assert.equal(overlapping?.headers['x-api-key'], 'hunter2')
  assert.equal(overlapping?.headers['webhook-signature']?.toString().split(' ').length, 2)
  const byPrevious = createHmac('sha256', previous)
    .update(overlapping?.body ?? '')
    .digest('hex')
  assert.equal(overlapping?.headers.authorization, byPrevious)
  assert.equal(later?.headers['webhook-signature']?.toString().split(' ').length, 1)
  const told = JSON.stringify(await attemptsOf(id))
  assert.ok(!told.includes('hunter2') && told.includes('"x-api-key":"********"'))
})

test('what is being retried is sent when someone asks for it, once each time, and keeps its place in the schedule', async () => {
  const { id, receiver, place } = await openEndpoint()
  receiver.answer = answerWith(500)
  const sendAgain = async () => {
    const [delivery] = await deliveriesOf(id)
    const asked = { ...place, deliveryId: delivery?.id ?? '' }
    return transact(database.db, (tx) => resendDelivery(tx, asked, systemChange(organizationId, isoIn(0))))
  }
  const tried = (attempts: number) => until(10_000, async () => (await deliveriesOf(id))[0]?.attempts === attempts)
  await delivering(async () => {
    await queue(1)
    await tried(1)
    const [first] = await deliveriesOf(id)
    // The first retry comes so soon that it would be taken for this one.
    const later = { next_attempt_at: isoIn(3_600_000), attempts: 4 }
    await database.db.updateTable('webhook_deliveries').set(later).where('endpoint_id', '=', id).execute()
    await sendAgain()
    await tried(5)
    const [second] = await deliveriesOf(id)
    assert.deepEqual([second?.id, second?.state, second?.extra_attempts], [first?.id, 'pending', 1])
    const waitMs = Date.parse(second?.next_attempt_at ?? '') - Date.now()
    const step = webhookRetryDelaysMs[4 - 1] ?? 0
    assert.ok(waitMs > step * 0.7 && waitMs < step * 1.3, `as after the fourth attempt, not ${waitMs}`)
    receiver.answer = accept
    await sendAgain()
    await settled(id)
  })
  assert.equal(receiver.received.length, 3)
  assert.equal((await deliveriesOf(id)).length, 1)
})

test('what was put off while the clock was ahead is sent by a process that starts, or that sees it put right', async () => {
  const { id } = await openEndpoint()
  await delivering(async () => {
    await queue(1, 2)
    await settled(id)
  })
  const ahead = { state: 'pending', settled_at: null, attempts: 3 } as const
  const [first, second] = await deliveriesOf(id)
  const change = (deliveryId: string | undefined, ms: number) =>
    database.db
      .updateTable('webhook_deliveries')
      .set({ ...ahead, next_attempt_at: isoIn(ms) })
      .where('id', '=', deliveryId ?? '')
      .execute()
  await change(first?.id, 20 * day)
  await change(second?.id, day)
  const stateOf = async (place: number) => (await deliveriesOf(id))[place]?.state
  await delivering(async () => {
    await until(10_000, async () => (await stateOf(0)) === 'delivered')
  })
  assert.equal(await stateOf(1), 'pending', 'a wait that the schedule has stays')

  let aheadMs = 20 * day
  const clock = () => isoIn(aheadMs)
  await delivering(
    async () => {
      await change(first?.id, 21 * day)
      aheadMs = 0
      await until(10_000, async () => (await stateOf(0)) === 'delivered')
    },
    { clock },
  )
})

test('what failed comes again in its time, and those of its device wait for it while others pass', async () => {
  const { id, receiver } = await openEndpoint()
  let failures = 0
  receiver.answer = (hook, response, request) => {
    const isFirst = hook.data.device_id === 1 && failures === 0
    if (isFirst) failures += 1
    answerWith(isFirst ? 500 : 200)(hook, response, request)
  }
  await delivering(async () => {
    await queue(1, 1, 2)
    await until(3_000, async () => receiver.received.length === 2)
    await pause(300)
    assert.deepEqual(devicesOf(receiver).toSorted(), [1, 2])
    await settled(id)
  })
  assert.deepEqual(devicesOf(receiver).toSorted(), [1, 1, 1, 2])
  const ids = receiver.received.filter(({ data }) => data.device_id === 1).map((hook) => hook.id)
  assert.equal(ids[0], ids[1], 'the same message came again before the next')
  const [first] = await deliveriesOf(id)
  assert.deepEqual([first?.attempts, first?.extra_attempts], [2, 0])
  const [failed, delivered] = (await attemptsOf(id)).filter((attempt) => attempt.delivery_id === first?.id)
  assert.equal(failed?.error, 'The endpoint answered 500')
  const waitedMs = Date.parse(delivered?.attempted_at ?? '') - Date.parse(failed?.attempted_at ?? '')
  assert.ok(waitedMs >= 3_900, `${waitedMs} ms`)
})

test('an endpoint that was down has everything soon after it is back, and no attempt is used up for it', async () => {
  const { id, receiver } = await openEndpoint()
  receiver.answer = answerWith(503)
  await delivering(async () => {
    await queue(...Array.from({ length: 30 }, (_, index) => index))
    // As half an hour of failures leaves them.
    await until(10_000, async () => (await deliveriesOf(id)).every(({ attempts }) => attempts > 0))
    await database.db
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: isoIn(7_200_000) })
      .execute()
    receiver.answer = accept
    await settled(id)
  })
  const rows = await deliveriesOf(id)
  assert.deepEqual(new Set(rows.map(({ attempts, extra_attempts: extra }) => attempts - extra)), new Set([1]))
  const attempts = await attemptsOf(id)
  assert.equal(attempts.length, receiver.received.length, 'the log has every request')
  const standing = await database.db.selectFrom('webhook_standings').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([standing.failing_since, standing.probe_at, standing.last_error], [null, null, null])
})

test('410 disables the endpoint with an entry in the audit log, and what waits goes when it is enabled again', async () => {
  const { id, receiver } = await openEndpoint()
  receiver.answer = answerWith(410)
  const endpoint = () =>
    database.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  await delivering(async () => {
    await queue(1)
    await until(5_000, async () => (await endpoint()).disabled_at !== null)
    assert.equal((await endpoint()).disabled_reason, 'gone')
    receiver.answer = accept
    await queue(2)
    await pause(200)
    assert.deepEqual(devicesOf(receiver), [1], 'a disabled endpoint is told nothing')
    await change(id, { disabled_at: null, disabled_reason: null })
    await queue(3)
    await until(5_000, async () => receiver.received.length === 2)
  })
  assert.deepEqual(devicesOf(receiver), [1, 3])
  assert.deepEqual(
    (await deliveriesOf(id)).map(({ state }) => state),
    ['failed', 'delivered'],
  )
  const audit = await database.db.selectFrom('audit_logs').select(['actor_name', 'description']).execute()
  const description = `Disabled the webhook endpoint ${id} at "${new URL(receiver.url).host}" because its receiver answered 410 Gone`
  assert.deepEqual(audit, [{ actor_name: 'Muster', description }])
})

test('an endpoint that has been failing for five days is disabled, and not earlier', async () => {
  const { id, receiver } = await openEndpoint()
  receiver.answer = answerWith(500)
  const failingSince = (ms: number) =>
    database.db
      .updateTable('webhook_standings')
      .set({ failing_since: isoIn(-ms), last_error: 'The endpoint answered 500' })
      .execute()
  const isDisabled = async () =>
    (await database.db.selectFrom('webhook_endpoints').select('disabled_reason').executeTakeFirst())?.disabled_reason
  await failingSince(4.9 * day)
  await delivering(async () => {
    await queue(1)
    await until(5_000, async () => (await attemptsOf(id)).length === 1)
  })
  assert.equal(await isDisabled(), null)
  await failingSince(5 * day)
  await delivering(async () => {
    await queue(2)
    await until(5_000, async () => (await isDisabled()) === 'failing')
  })
  const audit = await database.db.selectFrom('audit_logs').select('description').execute()
  assert.match(audit[0]?.description ?? '', /because nothing could be delivered to it for five days$/)
})

testOnPostgres('several deliverers deliver everything once, and each device in its order', async () => {
  const endpoints = await Promise.all(Array.from({ length: 5 }, () => openEndpoint()))
  await delivering(
    async () => {
      for (let round = 0; round < 10; round += 1) await queue(...Array.from({ length: 20 }, (_, index) => index))
      await Promise.all(endpoints.map(({ id }) => settled(id, 30_000)))
    },
    { deliverers: 3 },
  )
  for (const { receiver } of endpoints) {
    assert.equal(receiver.received.length, 200)
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 200)
  }
  for (const { id, receiver } of endpoints) {
    const rows = await database.db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhook_messages', 'webhook_messages.id', 'webhook_deliveries.message_id')
      .where('endpoint_id', '=', id)
      .select(['webhook_messages.message_id', 'webhook_deliveries.device_id'])
      .orderBy('webhook_deliveries.id')
      .execute()
    for (let device = 0; device < 20; device += 1) {
      const queued = rows.filter((row) => row.device_id === String(device)).map((row) => row.message_id)
      const got = receiver.received.filter(({ data }) => data.device_id === device).map((hook) => hook.id)
      assert.deepEqual(got, queued)
    }
  }
})

test('an endpoint that always fails and one that hangs do not delay another', async () => {
  const [poison, slow, healthy] = [await openEndpoint(), await openEndpoint(), await openEndpoint()]
  poison.receiver.answer = answerWith(500)
  slow.receiver.answer = hang
  await delivering(
    async () => {
      await queue(...Array.from({ length: 100 }, (_, index) => index))
      await until(60_000, async () => healthy.receiver.received.length === 100)
      assert.equal(poison.receiver.received.length > 0, true)
      assert.ok(slow.receiver.received.length <= 8)
    },
    // Whoever waited for the one that hangs would wait longer than the test does.
    { deadlineMs: 3_600_000 },
  )
})

test('a redirect is not followed', async () => {
  const [redirecting, elsewhere] = [await openEndpoint(), await openHookReceiver()]
  receivers.push(elsewhere)
  redirecting.receiver.answer = answerWith(307, '', { location: elsewhere.url })
  await delivering(async () => {
    await queue(1)
    await until(5_000, async () => (await attemptsOf(redirecting.id)).length === 1)
  })
  assert.equal(elsewhere.received.length, 0)
  assert.equal((await attemptsOf(redirecting.id))[0]?.error, 'The endpoint answered 307')
})

test('what a stopped deliverer had under way is delivered by another', async () => {
  const { id, receiver } = await openEndpoint()
  receiver.answer = hang
  await delivering(
    async () => {
      await queue(1)
      await until(5_000, async () => receiver.received.length === 1)
    },
    { deadlineMs: 60_000 },
  )
  assert.deepEqual(await attemptsOf(id), [], 'nothing is known of what was cut')
  receiver.answer = accept
  await delivering(() => settled(id).then(() => {}))
  const [first, second] = receiver.received
  assert.equal(first?.body, second?.body)
})
