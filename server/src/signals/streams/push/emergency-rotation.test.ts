import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { testApp } from '../../../../test/support/app.ts'
import { tokensOf } from '../../../../test/support/event-tokens.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { openReceiver, outboundOfTests } from '../../../../test/support/receivers.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { rotateSigningKey } from '../../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { replayEvents } from '../ledger/replay-events.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { resignTokens } from '../resign-tokens.ts'
import { startPush } from './start-push.ts'

const app = testApp({ outbound: outboundOfTests() })
const make = makeIn(app)
const receiver = await openReceiver()
after(() => receiver.close())

const queue = (deviceIds: readonly string[]) =>
  transact(app.db, (tx) =>
    queueComplianceChanges(
      tx,
      app.tenant.organizationId,
      deviceIds.map((deviceId) => ({
        ...{ deviceId, previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' },
        occurredAt: app.now(),
      })),
    ),
  )
const rotate = () =>
  rotateSigningKey(
    app.db,
    app.secrets,
    {
      ring: { organizationId: app.tenant.organizationId, purpose: 'signals' },
      isEmergency: true,
      resign: resignTokens,
      record: recordAudit,
    },
    systemChange(app.tenant.organizationId, app.now()),
  )
const keySet = async () => createLocalJWKSet((await app.ask('GET', '/ssf/jwks.json', { key: undefined })).body)
const kidOf = (token: string) => decodeProtectedHeader(token).kid ?? ''

test('an emergency under delivery loses nothing: what waits comes with the new key, and the same jti', async () => {
  const stream = await make.stream(app.tenant.organizationId, { endpoint_url: receiver.url })
  const devices = await Promise.all(Array.from({ length: 12 }, () => make.device(app.tenant.organizationId)))
  const ids = devices.map(({ id }) => id)
  let isTrusting = false
  const accepted = new Map<string, string>()
  // A receiver that already has the new key set: what the withdrawn key signed it refuses for good.
  receiver.answer = (received, response) => {
    if (!isTrusting) return void response.writeHead(503).end()
    keySet()
      .then((keys) => jwtVerify(received.token, keys, { currentDate: new Date(app.now()) }))
      .then(
        ({ payload, protectedHeader }) => {
          accepted.set(String(payload.jti), String(protectedHeader.kid))
          response.writeHead(202).end()
        },
        () => response.writeHead(400, { 'content-type': 'application/json' }).end('{"err":"invalid_key"}'),
      )
  }
  await queue([...ids, ...ids])
  const push = startPush(app.streams)
  try {
    await until(30_000, async () => receiver.received.length > 0)
    const [first] = receiver.received
    const place = { organizationId: app.tenant.organizationId, streamId: stream.id }
    const before = await tokensOf(app.db, app.secrets, place)
    assert.equal(before.size, 24)
    const { kid, withdrawn, resignedCount } = await rotate()
    assert.deepEqual(withdrawn, [kidOf(first?.token ?? '')])
    assert.ok(resignedCount > 0 && resignedCount <= before.size, String(resignedCount))
    isTrusting = true
    await until(60_000, async () => {
      app.setNow(plusMs(app.now(), 1_000))
      return accepted.size === 24
    })
    assert.deepEqual([...new Set(accepted.values())], [kid])
    assert.deepEqual([...before.keys()].sort(), [...accepted.keys()].sort())
    const after = await tokensOf(app.db, app.secrets, place)
    for (const [jti, token] of before) {
      assert.notEqual(after.get(jti), token)
      assert.equal(after.get(jti)?.split('.')[1], token.split('.')[1], 'the claims are as they were')
    }
    await until(30_000, async () => {
      const { state } =
        (await app.db
          .selectFrom('ssf_stream_events')
          .select('state')
          .where('state', '<>', 'delivered')
          .executeTakeFirst()) ?? {}
      return state === undefined
    })
  } finally {
    await push.stop()
  }

  // What was settled keeps its token, and is signed again when it is sent again.
  const { kid } = await rotate()
  const found = await app.db.selectFrom('ssf_streams').selectAll().where('id', '=', stream.id).executeTakeFirstOrThrow()
  const choice = { kind: 'named', jtis: [...accepted.keys()].slice(0, 2) } as const
  await transact(app.db, (tx) =>
    replayEvents(tx, { stream: found, choice }, systemChange(app.tenant.organizationId, app.now())),
  )
  const again = startPush(app.streams)
  try {
    await until(60_000, async () => [...accepted.values()].filter((one) => one === kid).length === 2)
  } finally {
    await again.stop()
  }
})

test('a poll after an emergency has the same jti by the new key, also of a process that held the old one', async () => {
  await app.reset()
  const { body: stream } = await app.ask('POST', '/ssf_streams', { body: { name: 'Polled' } })
  const headers = { 'x-service-poll-bearer-token': stream.poll_bearer_token }
  const poll = async (): Promise<Record<string, string>> =>
    (await app.ask('GET', `/ssf_streams/${stream.stream_id}/events`, { headers })).body.sets
  const device = await make.device(app.tenant.organizationId)
  await queue([device.id])
  const [[jti = '', old = ''] = []] = Object.entries(await poll())
  const { kid } = await rotate()
  // Signed by this process while it still holds the withdrawn key.
  await queue([device.id])
  const sets = await poll()
  assert.deepEqual([Object.keys(sets).length, Object.values(sets).map(kidOf)], [2, [kid, kid]])
  assert.equal(sets[jti]?.split('.')[1], old.split('.')[1])
  assert.notEqual(sets[jti], old)
  for (const token of Object.values(sets)) await jwtVerify(token, await keySet(), { currentDate: new Date(app.now()) })
  await assert.rejects(jwtVerify(old, await keySet()), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  const snapshot = await app.ask('GET', `/ssf_streams/${stream.stream_id}/snapshot`)
  assert.equal(kidOf(snapshot.body.token), kid)
})
