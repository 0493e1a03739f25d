import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { Selectable } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../../test/support/database.ts'
import { tokensOf } from '../../../../test/support/event-tokens.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import {
  accept,
  answerWith,
  openReceiver,
  outboundOfTests,
  type Receiver,
  reset,
} from '../../../../test/support/receivers.ts'
import { systemClock } from '../../../base/clock.ts'
import type { Database } from '../../../base/db/schema.ts'
import { transact } from '../../../base/db/transact.ts'
import { createLogger } from '../../../base/logging.ts'
import { deliveryCounter } from '../../../base/outbound/count-deliveries.ts'
import { openSecrets } from '../../../base/secrets/secrets.ts'
import { publishedSet } from '../../../keys/signing-keys.ts'
import { sealAuthorization } from '../authorization-header.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { queueStreamSignal } from '../queue-stream-signal.ts'
import { startStreams } from '../start-streams.ts'
import { startPush } from './start-push.ts'

const database = testDatabase()
const make = makeIn(database)
const secrets = openSecrets(randomBytes(32))
const baseUrl = 'https://trust.example.test'
const receivers: Receiver[] = []
after(() => Promise.all(receivers.map((receiver) => receiver.close())))

type Stream = Selectable<Database['ssf_streams']>

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

async function receiving(): Promise<Receiver> {
  const receiver = await openReceiver()
  receivers.push(receiver)
  return receiver
}

/** Runs `work` beside a deliverer, as a worker has it. */
async function delivering(work: () => Promise<void>, { deadlineMs = 2_000, deliverers = 1 } = {}): Promise<void> {
  const settings = {
    connection: database.connection,
    secrets,
    clock: systemClock,
    log: createLogger('silent'),
    baseUrl,
  }
  const egress = {
    databaseUrl: undefined,
    allowPrivateReceivers: true,
    egressNat64Prefixes: [],
    egressSharedAddresses: [],
  }
  const started = await Promise.all(
    Array.from({ length: deliverers }, async () => {
      const outbound = outboundOfTests({ deadlineMs })
      const streams = await startStreams({ ...settings, ...egress, outbound })
      return { streams, push: startPush(streams.parts) }
    }),
  )
  try {
    await work()
  } finally {
    await Promise.all(started.map(({ push }) => push.stop()))
    await Promise.all(started.map(({ streams }) => streams.stop()))
  }
}

async function queue(deviceIds: readonly string[]): Promise<void> {
  const changes = deviceIds.map((deviceId) => ({
    deviceId,
    previous: 'compliant' as const,
    current: 'not-compliant' as const,
    initiator: 'policy' as const,
    txn: 'T',
    occurredAt: systemClock(),
  }))
  await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, changes))
}

const soon = (isSo: () => boolean | Promise<boolean>) => until(60_000, async () => isSo(), 10)

const ledgerOf = (stream: Stream) =>
  database.db
    .selectFrom('ssf_stream_events')
    .select(['id', 'sequence', 'jti', 'device_id', 'state', 'attempts', 'error_code', 'error_description'])
    .where('stream_id', '=', stream.id)
    .orderBy('sequence')
    .execute()
const settled = (stream: Stream, count: number) => async () =>
  (await ledgerOf(stream)).filter(({ state }) => state !== 'pending').length === count
const headOf = (stream: Stream) =>
  database.db
    .selectFrom('ssf_stream_deliveries')
    .selectAll()
    .where('stream_id', '=', stream.id)
    .executeTakeFirstOrThrow()

const jtisOf = (receiver: Receiver) => receiver.received.map(({ jti }) => jti)
const devicesOf = (receiver: Receiver) => receiver.received.map(({ deviceId }) => deviceId)

test('what is queued arrives signed, in the order of each device, and the ledger says so', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url, audience: 'https://audience.example' })
  const [ada, bob] = [await make.device(organizationId), await make.device(organizationId)]
  await delivering(async () => {
    await queue([ada.id, bob.id, ada.id])
    await queue([ada.id])
    await soon(settled(stream, 4))
    const keys = createLocalJWKSet({
      keys: await publishedSet(database.db, { organizationId, purpose: 'signals' }, systemClock()),
    })
    for (const { token, contentType, authorization } of receiver.received) {
      await jwtVerify(token, keys, { issuer: baseUrl, audience: 'https://audience.example', typ: 'secevent+jwt' })
      assert.deepEqual([contentType, authorization], ['application/secevent+jwt', undefined])
    }
  })
  const ledger = await ledgerOf(stream)
  const ofAda = ledger.filter(({ device_id }) => device_id === ada.id).map(({ jti }) => jti)
  assert.deepEqual(
    jtisOf(receiver).filter((jti) => ofAda.includes(jti)),
    ofAda,
  )
  assert.deepEqual(
    ledger.map(({ state, sequence, attempts }) => [state, sequence, attempts]),
    ['1', '2', '3', '4'].map((sequence) => ['delivered', sequence, 1]),
  )
  const attempts = await database.db.selectFrom('ssf_attempts').select(['status', 'error']).execute()
  assert.deepEqual(attempts, Array(4).fill({ status: 202, error: null }))
  const head = await headOf(stream)
  assert.deepEqual([head.failures, head.last_error, head.leased_by], [0, null, null])
  assert.ok(head.last_delivered_at)
})

test('the configured Authorization is sent as it is', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url })
  const sealed = sealAuthorization(secrets, 'Bearer  verbatim', { organizationId, streamId: stream.id })
  await database.db.updateTable('ssf_streams').set({ sealed_authorization_header: sealed }).execute()
  const device = await make.device(organizationId)
  await delivering(async () => {
    await queue([device.id])
    await soon(settled(stream, 1))
  })
  assert.deepEqual(
    receiver.received.map(({ authorization }) => authorization),
    ['Bearer  verbatim'],
  )
})

for (const [what, answer] of [
  ['503', answerWith(503)],
  ['401', answerWith(401)],
  ['404', answerWith(404)],
  ['a redirect', answerWith(307, '', { location: 'https://receiver.test:1/elsewhere' })],
  ['400 without an error of RFC 8935', answerWith(400, '{"message":"no"}')],
  ['400 authentication_failed', answerWith(400, '{"err":"authentication_failed","description":"no"}')],
  ['429', answerWith(429, '', { 'retry-after': '1' })],
  ['a reset connection', reset],
] as const) {
  test(`${what} holds the stream, and nothing is lost, repeated in other bytes or out of order`, async () => {
    const receiver = await receiving()
    const stream = await make.stream(organizationId, { endpoint_url: receiver.url })
    const [ada, bob] = [await make.device(organizationId), await make.device(organizationId)]
    receiver.answer = answer
    await delivering(async () => {
      await queue([ada.id, ada.id, bob.id])
      await soon(async () => (await headOf(stream)).failures > 0)
      assert.deepEqual(
        (await ledgerOf(stream)).map(({ state }) => state),
        ['pending', 'pending', 'pending'],
      )
      assert.ok((await headOf(stream)).last_error)
      const before = receiver.received.length
      receiver.answer = accept
      await soon(settled(stream, 3))
      assert.deepEqual(devicesOf(receiver).slice(before).sort(), [ada.id, ada.id, bob.id].sort())
    })
    const ledger = await ledgerOf(stream)
    assert.ok(ledger.every(({ state }) => state === 'delivered'))
    const tokens = await tokensOf(database.db, secrets, { organizationId, streamId: stream.id })
    assert.ok(receiver.received.every(({ jti, token }) => tokens.get(jti) === token))
    assert.equal((await headOf(stream)).failing_since, null)
  })
}

test('an event that the receiver rejects is told so, and the stream continues', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url })
  const [ada, bob] = [await make.device(organizationId), await make.device(organizationId)]
  receiver.answer = (received, response) => {
    if (received.deviceId === ada.id)
      answerWith(400, '{"err":"invalid_request","description":"a\\u0000b"}')(received, response, response.req)
    else response.writeHead(202).end()
  }
  deliveryCounter.reset()
  await delivering(async () => {
    await queue([ada.id, bob.id])
    await soon(settled(stream, 2))
  })
  const counted = (await deliveryCounter.get()).values.map(({ labels, value }) => [labels.outcome, value])
  assert.deepEqual(counted.toSorted(), [
    ['delivered', 1],
    ['rejected', 1],
  ])
  const rows = await ledgerOf(stream)
  assert.deepEqual(
    rows.map(({ state, error_code, error_description }) => [state, error_code, error_description]),
    [
      ['rejected', 'invalid_request', 'a\ufffdb'],
      ['delivered', null, null],
    ],
  )
})

test('an event that the receiver cannot take holds back its own device only', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url })
  const devices = await Promise.all(Array.from({ length: 5 }, () => make.device(organizationId)))
  const [poison, ...healthy] = devices.map(({ id }) => id)
  assert.ok(poison)
  let isPoison = true
  receiver.answer = (received, response) =>
    void response.writeHead(received.deviceId === poison && isPoison ? 500 : 202).end()
  await delivering(async () => {
    await queue([poison, poison, ...healthy, ...healthy])
    await soon(settled(stream, 8))
    await queue(healthy)
    await soon(settled(stream, 12))
    isPoison = false
    await soon(settled(stream, 14))
  })
  const ofPoison = (await ledgerOf(stream)).filter(({ device_id }) => device_id === poison).map(({ jti }) => jti)
  const arrived = receiver.received.filter(({ deviceId }) => deviceId === poison).map(({ jti }) => jti)
  assert.deepEqual([...new Set(arrived)], ofPoison)
  assert.equal(arrived.at(-1), ofPoison[1])
})

test('a receiver that hangs costs another one nothing', async () => {
  const [hanging, healthy] = [await receiving(), await receiving()]
  const held: ServerResponse[] = []
  hanging.answer = (_received, response) => void held.push(response)
  const stuck = await make.stream(organizationId, { endpoint_url: hanging.url })
  const stream = await make.stream(organizationId, { endpoint_url: healthy.url })
  const devices = await Promise.all(Array.from({ length: 20 }, () => make.device(organizationId)))
  await delivering(
    async () => {
      for (let round = 1; round <= 5; round += 1) {
        await queue(devices.map(({ id }) => id))
        await soon(settled(stream, 20 * round))
      }
      hanging.answer = accept
      for (const response of held) response.writeHead(202).end()
      await soon(settled(stuck, 100))
    },
    // Whoever waited for the one that hangs would wait longer than the test does.
    { deadlineMs: 3_600_000 },
  )
  assert.deepEqual(new Set(jtisOf(hanging)).size, 100)
})

test('a paused stream keeps its events until it continues, and still reports its own status', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url, status: 'paused' })
  const device = await make.device(organizationId)
  const set = (status: 'enabled' | 'paused') =>
    transact(database.db, async (tx) => {
      await tx.updateTable('ssf_streams').set({ status, updated_at: systemClock() }).execute()
      const own = { organizationId, streamId: stream.id, txn: 'T', now: systemClock() }
      await queueStreamSignal(tx, { ...own, kind: 'stream_updated', event: { status } })
    })
  await delivering(async () => {
    await queue([device.id])
    await set('paused')
    await soon(() => receiver.received.length === 1)
    await pause(200)
    assert.equal(receiver.received[0]?.deviceId, undefined)
    await set('enabled')
    await soon(settled(stream, 3))
    assert.equal(receiver.received.length, 3)
    await set('paused')
    await soon(settled(stream, 4))
    await queue([device.id])
    await pause(300)
    assert.equal(receiver.received.length, 4)
  })
})

test('a new address and a deletion are heeded at once', async () => {
  const [old, next] = [await receiving(), await receiving()]
  old.answer = answerWith(503)
  const stream = await make.stream(organizationId, { endpoint_url: old.url })
  const device = await make.device(organizationId)
  const change = (columns: { endpoint_url?: string; deleted_at?: string }) =>
    transact(database.db, async (tx) => {
      await tx
        .updateTable('ssf_streams')
        .set({ ...columns, updated_at: systemClock() })
        .execute()
      const own = { organizationId, streamId: stream.id, txn: 'T', now: systemClock() }
      await queueStreamSignal(tx, { ...own, kind: 'stream_updated', event: {} })
    })
  await delivering(async () => {
    await queue([device.id])
    await soon(() => old.received.length > 0)
    await change({ endpoint_url: next.url })
    await soon(settled(stream, 2))
    assert.equal(next.received.length, 2)
    await change({ deleted_at: systemClock() })
    await pause(500)
    assert.equal(next.received.length, 2)
  })
})

test('a stream whose deliverer has died is taken over', async () => {
  const receiver = await receiving()
  const stream = await make.stream(organizationId, { endpoint_url: receiver.url })
  const device = await make.device(organizationId)
  const leasedUntil = new Date(Date.now() + 3_000).toISOString()
  await database.db.updateTable('ssf_stream_deliveries').set({ leased_by: 'dead', leased_until: leasedUntil }).execute()
  await delivering(async () => {
    await queue([device.id])
    await pause(1_000)
    assert.equal(receiver.received.length, 0, 'nobody sends what another one may be sending')
    await soon(settled(stream, 1))
  })
})

testOnPostgres('several deliverers send nothing twice', async () => {
  const streams = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const receiver = await receiving()
      return { receiver, stream: await make.stream(organizationId, { endpoint_url: receiver.url }) }
    }),
  )
  const devices = await Promise.all(Array.from({ length: 25 }, () => make.device(organizationId)))
  await delivering(
    async () => {
      for (let round = 0; round < 20; round += 1) await queue(devices.map(({ id }) => id))
      for (const { stream } of streams) await soon(settled(stream, 500))
    },
    // An attempt that a busy machine cuts short would be repeated.
    { deliverers: 4, deadlineMs: 120_000 },
  )
  for (const { receiver, stream } of streams) {
    assert.equal(receiver.received.length, 500)
    const ledger = await ledgerOf(stream)
    const order = (rows: readonly { jti: string; deviceId: string | undefined }[]) =>
      devices.map(({ id }) => rows.filter(({ deviceId }) => deviceId === id).map(({ jti }) => jti))
    const queued = ledger.map(({ jti, device_id }) => ({ jti, deviceId: device_id ?? undefined }))
    assert.deepEqual(order(receiver.received), order(queued))
  }
})
