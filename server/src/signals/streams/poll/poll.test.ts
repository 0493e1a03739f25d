import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { testApp } from '../../../../test/support/app.ts'
import { makeIn } from '../../../../test/support/make.ts'
import { until } from '../../../../test/support/muster-process.ts'
import { rowVersions } from '../../../../test/support/row-versions.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { queueStreamSignal } from '../queue-stream-signal.ts'
import { enterHold } from './holds.ts'

const app = testApp({ pollHoldMs: 1_500, env: { MUSTER_POLL_TOKEN_HEADER_ALIASES: 'x-other-poll-token' } })
const make = makeIn(app)
const tokenHeader = 'x-service-poll-bearer-token'

type Made = { id: string; stream_id: string; poll_bearer_token: string }
let stream: Made
let deviceIds: string[]

beforeEach(async () => {
  await app.reset()
  const { body } = await app.ask('POST', '/ssf_streams', { body: { name: 'Receiver' } })
  stream = body
  const devices = [await make.device(app.tenant.organizationId), await make.device(app.tenant.organizationId)]
  deviceIds = devices.map(({ id }) => id)
})

async function queue(ids: readonly string[] = deviceIds, organizationId = app.tenant.organizationId): Promise<void> {
  const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  const changes = ids.map((deviceId) => ({ deviceId, occurredAt: app.now(), ...change }))
  await transact(app.db, (tx) => queueComplianceChanges(tx, organizationId, changes))
}

const address = (reference = stream.stream_id) => `/ssf_streams/${reference}/events`
const withToken = (token = stream.poll_bearer_token) => ({ headers: { [tokenHeader]: token } })
const get = (options: object = withToken(), reference?: string) => app.ask('GET', address(reference), options)
const post = (body: object, options: object = withToken()) => app.ask('POST', address(), { ...options, body })
const jtisOf = ({ body }: { body: { sets: Record<string, string> } }) => Object.keys(body.sets)
const statesOf = async () =>
  (await app.db.selectFrom('ssf_stream_events').select(['state', 'error_code']).orderBy('id').execute()).map(
    ({ state, error_code }) => (error_code === null ? state : `${state} ${error_code}`),
  )

test('pollSsfStream: what is not acknowledged comes at every poll, the same bytes, and a repeat writes nothing', async () => {
  await queue()
  const first = await get()
  assert.equal(first.status, 200)
  assert.equal(first.headers['cache-control'], 'no-store')
  assert.deepEqual(Object.keys(first.body), ['sets'])
  assert.equal(jtisOf(first).length, 2)
  const keys = createLocalJWKSet((await app.ask('GET', '/ssf/jwks.json', { key: undefined })).body)
  for (const [jti, token] of Object.entries<string>(first.body.sets)) {
    const { payload } = await jwtVerify(token, keys, {
      issuer: app.config.baseUrl,
      audience: `${app.config.baseUrl}/ssf_streams/${stream.stream_id}`,
      currentDate: new Date(app.now()),
    })
    assert.equal(payload.jti, jti)
  }
  app.setNow(plusMs(app.now(), 60_000))
  const before = await rowVersions(app.db)
  assert.deepEqual((await get()).body, first.body)
  assert.deepEqual((await get(withToken(), stream.id)).body, first.body)
  assert.deepEqual(await rowVersions(app.db), before)
})

test('what a receiver acknowledged last is what the stream delivered last; a refusal is not', async () => {
  await queue()
  const last = async () => (await app.ask('GET', `/ssf_streams/${stream.stream_id}`)).body.health.last_delivered_at
  const [one = '', two = ''] = jtisOf(await get())
  const polledAt = app.now()
  await post({ setErrs: { [one]: { err: 'invalid_request' } } })
  assert.equal(await last(), null, 'polled, and refused')
  app.setNow(plusMs(polledAt, 60_000))
  await post({ ack: [two] })
  assert.equal(await last(), app.now())
  app.setNow(plusMs(polledAt, 120_000))
  await post({ ack: [two, 'unknown'] })
  assert.equal(await last(), plusMs(polledAt, 60_000), 'it was acknowledged before')
})

test('pollOrAcknowledgeSsfStream: an acknowledgement settles and hands nothing out, and what is settled never returns', async () => {
  await queue()
  const [one = '', two = ''] = jtisOf(await get())
  assert.deepEqual((await post({ ack: [one] })).body, { sets: {} })
  assert.deepEqual(jtisOf(await get()), [two])
  assert.deepEqual((await post({ ack: [one, randomUUID(), 'unknown'] })).body, { sets: {} })
  assert.deepEqual(await statesOf(), ['acknowledged', 'pending'])
  const before = await rowVersions(app.db)
  await post({ ack: [one] })
  assert.deepEqual(await rowVersions(app.db), before)
  const refused = await post({ setErrs: { [two]: { err: 'invalid_key', description: 'No such key' } } })
  assert.deepEqual([refused.status, refused.body], [200, { sets: {} }])
  assert.deepEqual(await statesOf(), ['acknowledged', 'rejected invalid_key'])
  assert.deepEqual((await get()).body, { sets: {} })
})

test('numbers follow the order of queueing, in whatever order and however often a receiver acknowledges', async () => {
  await queue([...deviceIds, ...deviceIds])
  const [one = '', two = '', three = '', four = ''] = jtisOf(await get())
  const numbers = async () => {
    const rows = await app.db.selectFrom('ssf_stream_events').select(['jti', 'sequence']).execute()
    const byJti = new Map(rows.map(({ jti, sequence }) => [jti, sequence]))
    return [one, two, three, four].map((jti) => byJti.get(jti))
  }
  const last = async () =>
    (await app.db.selectFrom('ssf_stream_deliveries').select('last_sequence').executeTakeFirstOrThrow()).last_sequence
  assert.deepEqual([await numbers(), await last()], [[null, null, null, null], '0'])
  await post({ ack: [three, three] })
  assert.deepEqual([await numbers(), await last()], [['1', '2', '3', null], '3'])
  assert.deepEqual(await statesOf(), ['pending', 'pending', 'acknowledged', 'pending'])
  await Promise.all([post({ ack: [two] }), post({ setErrs: { [four]: { err: 'x' } } }), post({ ack: [one] })])
  assert.deepEqual([await numbers(), await last()], [['1', '2', '3', '4'], '4'])
  assert.deepEqual(await statesOf(), ['acknowledged', 'acknowledged', 'acknowledged', 'rejected x'])
})

test('a POST with more than an acknowledgement acknowledges first and polls then', async () => {
  await queue([...deviceIds, ...deviceIds])
  const [one = '', two = '', ...rest] = jtisOf(await get())
  const answer = await post({ ack: [one], setErrs: { [two]: { err: 'x' } }, returnImmediately: true })
  assert.deepEqual(jtisOf(answer), rest)
  const some = await post({ ack: [rest[0]], maxEvents: 1, unknownMember: [1, {}] })
  assert.deepEqual(jtisOf(some), [rest[1]])
  assert.deepEqual((await post({ maxEvents: 0, ack: [] })).body, { sets: {} })
  assert.deepEqual((await post({ maxEvents: 0 })).body, { sets: {} })
})

test('more than was asked for is told of, and only then', async () => {
  await queue([...deviceIds, ...deviceIds])
  const some = await post({ maxEvents: 3, returnImmediately: true })
  assert.equal(some.body.moreAvailable, true)
  assert.equal(jtisOf(some).length, 3)
  const all = await post({ maxEvents: 4, returnImmediately: true })
  assert.deepEqual(Object.keys(all.body), ['sets'])
  await queue(Array.from({ length: 60 }, () => deviceIds).flat())
  assert.equal(jtisOf(await get()).length, 100)
})

test('an event that is both acknowledged and refused in one request is refused', async () => {
  await queue()
  const [one = '', two = ''] = jtisOf(await get())
  await post({ ack: [one, two], setErrs: { [one]: { err: 'invalid_key', description: 'No such key' } } })
  assert.deepEqual(await statesOf(), ['rejected invalid_key', 'acknowledged'])
})

test('an acknowledgement settles nothing of another organization, whatever is equal of its rows', async () => {
  await queue([deviceIds[0] ?? ''])
  const [jti = ''] = jtisOf(await get())
  const other = await app.addTenant()
  const { id, stream_id } = stream
  await make.stream(other.organizationId, { id, stream_id })
  const device = await make.device(other.organizationId)
  await queue([device.id], other.organizationId)
  await app.db
    .updateTable('ssf_stream_events')
    .set({ jti })
    .where('organization_id', '=', other.organizationId)
    .execute()
  assert.deepEqual(await statesOf(), ['pending', 'pending'])
  await post({ ack: [jti] })
  assert.deepEqual(await statesOf(), ['acknowledged', 'pending'])
})

test('a body that is no poll is a 400', async () => {
  for (const body of [{ ack: 'x' }, { ack: [1] }, { setErrs: [] }, { setErrs: { a: 'x' } }, { maxEvents: -1 }]) {
    const { status, body: answer } = await post(body)
    assert.deepEqual([status, answer.error], [400, 'malformed_request'])
  }
  const broken = await app.app.inject({
    method: 'POST',
    url: address(),
    headers: {
      authorization: `Bearer ${app.tenant.key}`,
      [tokenHeader]: stream.poll_bearer_token,
      'content-type': 'application/json',
    },
    payload: '{"ack":',
  })
  assert.equal(broken.statusCode, 400)
})

test('a poll needs the key with its permission, and the token of this stream', async () => {
  const { body: other } = await app.ask('POST', '/ssf_streams', { body: { name: 'Other' } })
  const wrong: object[] = [
    {},
    withToken('muspt_wrong'),
    withToken(other.poll_bearer_token),
    { ...withToken(), key: undefined },
    { ...withToken(), key: `${app.tenant.key}x` },
  ]
  for (const options of wrong) {
    assert.deepEqual([(await get(options)).status, (await get(options)).body.error], [401, 'unauthorized'])
    assert.equal((await post({ ack: [] }, options)).status, 401)
  }
  assert.equal((await get({ ...withToken(), key: app.tenant.readOnlyKey })).status, 403)
  assert.equal((await get({ headers: { 'x-other-poll-token': stream.poll_bearer_token } })).status, 200)
  const foreign = await app.addTenant()
  const [hidden, unknown] = [
    await get({ ...withToken(), key: foreign.key }),
    await get({ ...withToken(), key: foreign.key }, randomUUID()),
  ]
  assert.deepEqual([hidden.status, hidden.body], [404, unknown.body])
})

test('during an overlap both tokens poll, then the new one; a disabled stream refuses both, and can be revived', async () => {
  const rotate = (body: object) => app.ask('POST', `/ssf_streams/${stream.id}/rotate_poll_token`, { body })
  const { body: rotated } = await rotate({ mode: 'overlap', overlap_seconds: 60 })
  const next = withToken(rotated.poll_bearer_token)
  assert.deepEqual([(await get()).status, (await get(next)).status], [200, 200])
  app.setNow(plusMs(app.now(), 60_000))
  assert.deepEqual([(await get()).status, (await get(next)).status], [401, 200])
  await rotate({ mode: 'disable' })
  assert.deepEqual([(await get(next)).status, (await post({ ack: [] }, next)).status], [401, 401])
  const { body: revived } = await rotate({ mode: 'immediate' })
  assert.equal((await get(withToken(revived.poll_bearer_token))).status, 200)
})

test('a stream from before poll tokens needs none', async () => {
  await app.db.deleteFrom('ssf_poll_tokens').execute()
  assert.equal((await get({})).status, 401)
  await app.db.updateTable('ssf_streams').set({ needs_no_poll_token: true }).execute()
  assert.equal((await get({})).status, 200)
  assert.equal((await get()).status, 200)
})

test('a push stream is not polled', async () => {
  const { body } = await app.ask('POST', '/ssf_streams', {
    body: { delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://receiver.example.com/x' } },
  })
  const answer = await get({}, body.stream_id)
  assert.deepEqual([answer.status, answer.body.error], [400, 'malformed_request'])
})

test('a paused stream sends its own status only, and is still acknowledged', async () => {
  await queue()
  const [one = ''] = jtisOf(await get())
  await app.db.updateTable('ssf_streams').set({ status: 'paused' }).execute()
  assert.deepEqual((await get()).body, { sets: {} })
  const own = { organizationId: app.tenant.organizationId, streamId: stream.id, txn: 'T', now: app.now() }
  const news = await transact(app.db, (tx) =>
    queueStreamSignal(tx, { ...own, kind: 'stream_updated', event: { status: 'paused' } }),
  )
  assert.deepEqual(jtisOf(await get()), [news.jti])
  await post({ ack: [one] })
  assert.deepEqual(await statesOf(), ['acknowledged', 'pending', 'pending'])
})

/** Until so many polls hold a place. */
const untilHeld = (count: number) =>
  until(60_000, async () => (await app.db.selectFrom('ssf_poll_holds').select('holder').execute()).length === count)

/** For polls that end by nothing but what the test does. */
async function holdingOn(work: () => Promise<void>): Promise<void> {
  const { pollHoldMs } = app.streams
  app.streams.pollHoldMs = 3_600_000
  try {
    await work()
  } finally {
    app.streams.pollHoldMs = pollHoldMs
  }
}

test('a poll that waits ends by something new', { timeout: 120_000 }, () =>
  holdingOn(async () => {
    const waiting = post({ returnImmediately: false })
    await untilHeld(1)
    await queue()
    assert.equal(jtisOf(await waiting).length, 2)
  }),
)

test('a poll that waits is answered empty when its time is over', async () => {
  const startedAt = performance.now()
  assert.deepEqual((await post({ maxEvents: 5 })).body, { sets: {} })
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs > 1_400, `${tookMs} ms`)
})

test(
  'of each stream two polls wait; a third is answered at once, and others wait beside them',
  {
    timeout: 120_000,
  },
  () =>
    holdingOn(async () => {
      const { body: other } = await app.ask('POST', '/ssf_streams', { body: { name: 'Other' } })
      const waiting = [
        post({}),
        post({}),
        app.ask('POST', address(other.stream_id), { ...withToken(other.poll_bearer_token), body: {} }),
      ]
      await untilHeld(3)
      assert.deepEqual((await post({})).body, { sets: {} })
      await queue()
      const answers = await Promise.all(waiting)
      assert.deepEqual(
        answers.map((answer) => jtisOf(answer).length),
        [2, 2, 2],
      )
    }),
)

test('polls that wait are counted across processes, and the places of one that crashed are free when they expire', async () => {
  const held = { organizationId: app.tenant.organizationId, streamId: stream.id }
  const enter = () => enterHold(app.db, held, 1_500)
  // A process of its own would do no more than this.
  const places = [await enter(), await enter()]
  const answered = await Promise.race([post({}).then(({ body }) => body), pause(1_000, 'held')])
  assert.deepEqual(answered, { sets: {} })
  await places[0]?.()
  const waiting = post({})
  await untilHeld(2)
  assert.equal(await enter(), undefined)
  await queue()
  assert.equal(jtisOf(await waiting).length, 2)
  await post({ ack: jtisOf(await get()) })
  const other = await app.addTenant()
  const theirs = await make.stream(other.organizationId, { id: stream.id })
  assert.ok(await enterHold(app.db, { organizationId: other.organizationId, streamId: theirs.id }, 1_500))
  // Of the crashed process: nobody gives the places back.
  assert.ok(await enter())
  assert.equal(await enter(), undefined)
  await app.database.connection.executeScript(`update ssf_poll_holds set expires_at = now() - interval '1 second'`)
  assert.ok((await enter()) && (await enter()))
  assert.equal(await enter(), undefined)
  await app.database.connection.executeScript(`update ssf_poll_holds set expires_at = now() - interval '1 second'`)
  const taken = await Promise.all(Array.from({ length: 8 }, enter))
  assert.equal(taken.filter((leave) => leave !== undefined).length, 2)
})

test('a token that is revoked while a poll waits ends it', async () => {
  const waiting = post({})
  await pause(200)
  await app.ask('POST', `/ssf_streams/${stream.id}/rotate_poll_token`, { body: { mode: 'disable' } })
  assert.equal((await waiting).status, 401)
})

test('polls at the same time return the same bytes', async () => {
  await queue(Array.from({ length: 40 }, () => deviceIds).flat())
  const answers = await Promise.all(Array.from({ length: 6 }, () => get()))
  for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
})

test('a poll whose caller has gone holds no place', async () => {
  const origin = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const call = (signal?: AbortSignal) =>
    fetch(origin + address(), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${app.tenant.key}`,
        [tokenHeader]: stream.poll_bearer_token,
        'content-type': 'application/json',
      },
      body: '{}',
      ...(signal && { signal }),
    })
  const gone = new AbortController()
  const left = [call(gone.signal), call(gone.signal)].map((one) => one.catch(() => undefined))
  await pause(300)
  gone.abort()
  await Promise.all(left)
  await until(1_000, async () => {
    const startedAt = performance.now()
    const waiting = call()
    const isHeld = await Promise.race([waiting.then(() => false), pause(200, true)])
    // Where it was not, an event would be there before the next one waits.
    if (isHeld) await queue()
    const answer = (await (await waiting).json()) as { sets: Record<string, string> }
    await post({ ack: Object.keys(answer.sets) })
    return isHeld && performance.now() - startedAt >= 200
  })
})
