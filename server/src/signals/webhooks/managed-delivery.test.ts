import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { testApp } from '../../../test/support/app.ts'
import { openHookReceiver } from '../../../test/support/hook-receivers.ts'
import { until } from '../../../test/support/muster-process.ts'
import { accept, answerWith, outboundOfTests } from '../../../test/support/receivers.ts'
import { systemClock } from '../../base/clock.ts'
import { transact } from '../../base/db/transact.ts'
import { createLogger } from '../../base/logging.ts'
import { queueWebhooks } from '../webhook-ledger/queue-webhooks.ts'
import { startDeliveries } from './deliver/start-deliveries.ts'

const app = testApp({ env: { MUSTER_ALLOW_PRIVATE_RECEIVERS: '1' } })
const [first, second] = [await openHookReceiver(), await openHookReceiver()]
after(() => Promise.all([first.close(), second.close()]))

beforeEach(async () => {
  app.setNow(systemClock())
  await app.reset()
  for (const receiver of [first, second]) {
    receiver.answer = accept
    receiver.received.length = 0
  }
})

const events = ['devices.created']
const create = async () => (await app.ask('POST', '/webhook_endpoints', { body: { url: first.url, events } })).body

async function change(id: string, body: object): Promise<void> {
  app.setNow(systemClock())
  assert.equal((await app.ask('PATCH', `/webhook_endpoints/${id}`, { body })).status, 200)
}

async function queue(...ids: number[]): Promise<void> {
  const messages = ids.map((id) => ({
    event: 'devices.created' as const,
    data: {
      ...{ device_id: id, device_name: `Mac ${id}`, device_status: 'good' as const },
      ...{ device_url: 'https://x.test/1', registered_owner: null },
    },
    ...{ deviceId: null, orderedBy: null, cause: 'test', at: systemClock() },
  }))
  await transact(app.db, (tx) => queueWebhooks(tx, app.tenant.organizationId, messages))
}

async function delivering(work: () => Promise<void>): Promise<void> {
  const outbound = outboundOfTests()
  const parts = { connection: app.database.connection, secrets: app.secrets, clock: systemClock }
  const deliveries = await startDeliveries({ ...parts, log: createLogger('silent'), outbound })
  try {
    await work()
  } finally {
    await deliveries.stop()
    await outbound.close()
  }
}

const deliveries = () => app.db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()
async function allDelivered(): Promise<void> {
  await until(15_000, async () => (await deliveries()).every(({ state }) => state === 'delivered'))
}

/** Makes what waits due long from now, as it is after many attempts. */
const postpone = () =>
  app.db
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: new Date(Date.now() + 3_600_000).toISOString() })
    .where('state', '=', 'pending')
    .execute()

test('a secret is rolled while events are under way, and the receiver, which knows one secret at a time, takes them all', async () => {
  const { id, secret } = await create()
  const taken: number[] = []
  /** What the receiver knows; it checks both signatures separately. */
  let known = { standard: secret, authorization: secret }
  const faults: string[] = []
  let count = 0
  const judge = () => {
    for (const { body, headers, data } of first.received.splice(0)) {
      taken.push(data.device_id)
      try {
        new Webhook(known.standard).verify(body, headers as Record<string, string>)
      } catch (error) {
        faults.push(`${data.device_id}: ${error}`)
      }
      const hex = createHmac('sha256', known.authorization).update(body).digest('hex')
      if (headers.authorization !== hex) faults.push(`${data.device_id}: Authorization`)
    }
  }
  const send = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      count += 1
      await queue(count)
      await until(10_000, async () => first.received.length > 0)
      judge()
    }
  }
  const roll = async (overlap: number) => {
    app.setNow(systemClock())
    const body = { overlap_seconds: overlap }
    return (await app.ask('POST', `/webhook_endpoints/${id}/roll_secret`, { body })).body.secret
  }
  await delivering(async () => {
    await send(5)
    const next = await roll(2)
    await send(5)
    known = { ...known, standard: next }
    await send(5)
    const until2s = Date.now() + 2_100
    await until(10_000, async () => Date.now() > until2s)
    known = { standard: next, authorization: next }
    await send(5)
    const last = await roll(0)
    known = { standard: last, authorization: last }
    await until(10_000, async () => (await deliveries()).length === count)
    await send(5)
    await allDelivered()
  })
  assert.deepEqual(faults, [])
  assert.deepEqual(
    taken,
    Array.from({ length: 25 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    (await deliveries()).map(({ attempts }) => attempts),
    Array(25).fill(1),
  )
})

test('what waited while an endpoint was disabled is sent when it is enabled, whenever it would be due', async () => {
  const { id } = await create()
  first.answer = answerWith(500)
  await delivering(async () => {
    await queue(1, 2)
    await until(10_000, async () => (await deliveries()).every(({ attempts }) => attempts === 1))
    await change(id, { enabled: false })
    await queue(3)
    await postpone()
    first.answer = accept
    await change(id, { enabled: true })
    await allDelivered()
    await queue(4)
    await until(10_000, async () => first.received.length === 5)
  })
  assert.deepEqual(
    first.received
      .slice(2)
      .map(({ data }) => data.device_id)
      .sort(),
    [1, 2, 4],
  )
  const { body } = await app.ask('GET', `/webhook_endpoints/${id}`)
  assert.equal(body.health.state, 'ok')
  assert.notEqual(body.health.last_delivered_at, null)
})

test('the same by another process, which did not know the endpoint before', async () => {
  const { id } = await create()
  await change(id, { enabled: false })
  await change(id, { enabled: true })
  await queue(1)
  await postpone()
  await delivering(async () => {
    await allDelivered()
  })
  assert.equal(first.received.length, 1)
})

test('what the receiver before refused is sent to another address at once, and with the headers of now', async () => {
  const { id } = await create()
  first.answer = answerWith(503)
  await delivering(async () => {
    await queue(1, 2)
    await until(10_000, async () => (await deliveries()).every(({ attempts }) => attempts > 0))
    await postpone()
    await change(id, { url: second.url, custom_headers: { 'x-tenant': 'acme' } })
    await allDelivered()
  })
  assert.deepEqual(second.received.map(({ data }) => data.device_id).sort(), [1, 2])
  assert.ok(second.received.every(({ headers }) => headers['x-tenant'] === 'acme'))
  assert.equal((await app.ask('GET', `/webhook_endpoints/${id}`)).body.health.failing_since, null)
})

const mends: [what: string, mend: (id: string) => Promise<void>][] = [
  ['other headers', (id) => change(id, { custom_headers: { 'x-tenant': 'acme' } })],
  [
    'another secret',
    async (id) => {
      app.setNow(systemClock())
      assert.equal((await app.ask('POST', `/webhook_endpoints/${id}/roll_secret`, { body: {} })).status, 200)
    },
  ],
]
for (const [what, mend] of mends) {
  for (const isRefusing of [true, false]) {
    const state = isRefusing ? 'refused all' : 'takes others'
    test(`what waits for an endpoint that ${state} is tried at once with ${what}, also by another process`, async () => {
      const { id } = await create()
      const isRefused = (device: number) => isRefusing || device === 1
      first.answer = (hook, ...rest) => answerWith(isRefused(hook.data.device_id) ? 401 : 202)(hook, ...rest)
      await delivering(async () => {
        await queue(1)
        await until(10_000, async () => (await deliveries()).every(({ attempts }) => attempts > 0))
        await queue(2, 3)
        await until(10_000, async () => (await deliveries()).every(({ attempts }) => attempts > 0))
      })
      await postpone()
      first.answer = accept
      await mend(id)
      await delivering(allDelivered)
      assert.equal((await app.ask('GET', `/webhook_endpoints/${id}`)).body.health.failing_since, null)
    })
  }
}

test('nothing is sent to an endpoint that was deleted', async () => {
  const { id } = await create()
  await delivering(async () => {
    first.answer = answerWith(500)
    await queue(1)
    await until(10_000, async () => (await deliveries()).every(({ attempts }) => attempts > 0))
    const before = first.received.length
    assert.equal((await app.ask('DELETE', `/webhook_endpoints/${id}`)).status, 204)
    await queue(2)
    await until(10_000, async () => (await deliveries()).length === 1)
    assert.equal(first.received.length, before)
  })
})
