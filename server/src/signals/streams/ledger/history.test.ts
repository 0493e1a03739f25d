import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { baseUrl, testApp } from '../../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { rotateSigningKey } from '../../../keys/rotate-signing-key.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import { type ComplianceChange, queueComplianceChanges } from '../queue-signals.ts'
import { queueStreamSignal } from '../queue-stream-signal.ts'
import { resignTokens } from '../resign-tokens.ts'

const app = testApp()
const make = makeIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const url = 'https://receiver.example.com/events'

beforeEach(async () => {
  await app.reset()
  // The first key is made at the first signature.
  await app.streams.issuer.signer.sign({ organizationId: app.tenant.organizationId, purpose: 'signals' }, {}, app.now())
})

const change = (deviceId: string, occurredAt = startOfTests): ComplianceChange => ({
  ...{ deviceId, previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T1', occurredAt },
})

const queue = (...changes: ComplianceChange[]) =>
  transact(app.db, (tx) => queueComplianceChanges(tx, app.tenant.organizationId, changes))

test('listSsfStreamEvents, getSsfStreamEvent: an event from its queueing to its delivery', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId, { endpoint_url: url })
  const owner = await make.person(organizationId, { email: 'ana@acme.example' })
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  await queue(change(device.id))
  const history = `/ssf_streams/${stream.stream_id}/history`
  const [queued] = (await app.ask('GET', history)).body.data
  assert.deepEqual(queued, {
    id: queued.id,
    sequence: null,
    jti: queued.jti,
    kind: 'compliance_change',
    event_type: 'https://schemas.openid.net/secevent/caep/event-type/device-compliance-change',
    subject: {
      device: { identifier: device.id, link: `${baseUrl}/devices/${device.id}` },
      user_email: 'ana@acme.example',
    },
    txn: 'T1',
    state: 'pending',
    previous_status: 'compliant',
    current_status: 'not-compliant',
    occurred_at: startOfTests,
    queued_at: startOfTests,
    issued_at: startOfTests,
    settled_at: null,
    next_attempt_at: null,
    attempts_count: 0,
    attempts: [],
    error: null,
    claims: queued.claims,
    token: queued.token,
  })
  assert.deepEqual(queued.claims, decodeJwt(queued.token))
  const place = { organization_id: organizationId, stream_id: stream.id, event_id: queued.id }
  const attempts = Array.from({ length: 12 }, (_, index) => ({
    ...{ ...place, attempted_at: minute(index), duration_ms: index },
    ...(index === 11 ? { status: 202 } : { error: 'The connection was refused' }),
  }))
  await app.db.insertInto('ssf_attempts').values(attempts).execute()
  await app.db
    .updateTable('ssf_stream_events')
    .set({ attempts: 12, state: 'delivered', settled_at: minute(11) })
    .execute()
  const [settled] = (await app.ask('GET', history)).body.data
  assert.deepEqual(settled, {
    ...queued,
    state: 'delivered',
    settled_at: minute(11),
    attempts_count: 12,
    attempts: [
      { attempted_at: minute(11), duration_ms: 11, status: 202, error: null },
      ...[10, 9, 8, 7, 6, 5, 4, 3, 2].map((index) => ({
        ...{ attempted_at: minute(index), duration_ms: index, status: null, error: 'The connection was refused' },
      })),
    ],
  })
  const keys = createLocalJWKSet((await app.ask('GET', '/ssf/jwks.json', { key: undefined })).body)
  const { payload } = await jwtVerify(settled.token, keys, { audience: url, currentDate: new Date(app.now()) })
  assert.equal(payload.jti, queued.jti)
  const one = await app.ask('GET', `/ssf_streams/${stream.id}/history/${queued.id}`)
  assert.deepEqual([one.status, one.body.attempts.length], [200, 12])
  assert.deepEqual({ ...one.body, attempts: one.body.attempts.slice(0, 10) }, settled)
})

test('an event that waits for its receiver tells until when, whether it alone is held or the whole stream', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId, { endpoint_url: url })
  const [held, other] = [await make.device(organizationId), await make.device(organizationId)]
  await queue(change(held.id), change(other.id))
  const nextAttempts = async () => {
    const { body } = await app.ask('GET', `/ssf_streams/${stream.id}/history`)
    return body.data.map((row: { next_attempt_at: string | null }) => row.next_attempt_at)
  }
  await app.db
    .updateTable('ssf_stream_events')
    .set({ held_until: minute(5) })
    .where('device_id', '=', held.id)
    .execute()
  assert.deepEqual(await nextAttempts(), [null, minute(5)])
  await app.db
    .updateTable('ssf_stream_deliveries')
    .set({ held_until: minute(2) })
    .execute()
  assert.deepEqual(await nextAttempts(), [minute(2), minute(5)])
  await app.db.updateTable('ssf_streams').set({ status: 'paused' }).execute()
  assert.deepEqual(await nextAttempts(), [null, null])
})

test('of an event whose key was withdrawn the ledger shows the claims and no signature', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId)
  await queue(change((await make.device(organizationId)).id))
  const read = async () => (await app.ask('GET', `/ssf_streams/${stream.id}/history`)).body.data[0]
  const before = await read()
  await app.db
    .updateTable('ssf_stream_events')
    .set({ state: 'delivered', settled_at: minute(1) })
    .execute()
  const ring = { organizationId, purpose: 'signals' } as const
  await rotateSigningKey(
    app.db,
    app.secrets,
    { ring, isEmergency: true, resign: resignTokens, record: recordAudit },
    systemChange(organizationId, app.now()),
  )
  const after = await read()
  assert.equal(after.token, null)
  assert.deepEqual(after.claims, before.claims)
  assert.equal(after.claims.jti, before.jti)
  app.streams.issuer.signer.forget(ring)
})

test('what a receiver refused says why, in its words', async () => {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId)
  const { eventId } = await transact(app.db, (tx) =>
    queueStreamSignal(tx, {
      ...{ organizationId, streamId: stream.id, kind: 'verification', event: { state: 'x' }, txn: 'T', now: minute(1) },
    }),
  )
  await app.db
    .updateTable('ssf_stream_events')
    .set({ state: 'rejected', settled_at: minute(2), error_code: 'invalid_key', error_description: 'No such key' })
    .execute()
  const { body } = await app.ask('GET', `/ssf_streams/${stream.id}/history/${eventId}`)
  assert.deepEqual(body.error, { err: 'invalid_key', description: 'No such key' })
  assert.deepEqual(
    [body.kind, body.subject, body.previous_status, body.current_status],
    ['verification', { device: { identifier: '', link: null }, user_email: null }, null, null],
  )
})

test('the ledger is paged newest first and searched, and shows only the stream that was asked for', async () => {
  const { organizationId } = app.tenant
  const [stream] = [await make.stream(organizationId), await make.stream(organizationId)]
  const devices = [await make.device(organizationId), await make.device(organizationId)]
  for (const count of [0, 1, 2, 3, 4]) await queue(change(devices[count % 2]?.id ?? '', minute(count)))
  const path = `/ssf_streams/${stream?.id}/history`
  const times = async (query: string) => {
    const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data.map((row: { queued_at: string }) => row.queued_at)
  }
  assert.deepEqual(await times(''), [4, 3, 2, 1, 0].map(minute))
  assert.deepEqual(await times(`device_id:${devices[1]?.id}`), [3, 1].map(minute))
  assert.deepEqual(await times(`queued_at>"${minute(2)}" AND state:pending`), [4, 3].map(minute))
  assert.deepEqual(await times('kind:verification OR state:expired'), [])
  const first = await app.ask('GET', `${path}?per_page=3`)
  const { next_cursor: cursor } = first.body.pagination
  const second = await app.ask('GET', `${path}?per_page=3&cursor=${cursor}`)
  assert.deepEqual([first.body.data.length, second.body.data.length], [3, 2])
  const other = await app.ask('GET', `/ssf_streams/${stream?.stream_id}/history?cursor=${cursor}`)
  assert.equal(other.status, 400)
})

test('unknown, foreign and deleted streams and events of another stream are one and the same 404', async () => {
  const { organizationId } = app.tenant
  const [stream, other] = [await make.stream(organizationId), await make.stream(organizationId)]
  const device = await make.device(organizationId)
  await queue(change(device.id))
  const [event] = (await app.ask('GET', `/ssf_streams/${other.id}/history`)).body.data
  const stranger = await app.addTenant()
  const foreign = await make.stream(stranger.organizationId)
  const gone = await make.stream(organizationId, { deleted_at: startOfTests })
  const answers = await Promise.all(
    [
      ...[foreign.id, foreign.stream_id, gone.id, gone.stream_id, '900000000000000001', 'x'].flatMap((id) => [
        `/ssf_streams/${id}/history`,
        `/ssf_streams/${id}/history/${event.id}`,
      ]),
      `/ssf_streams/${stream.id}/history/${event.id}`,
      `/ssf_streams/${stream.id}/history/x`,
    ].map((path) => app.ask('GET', path)),
  )
  for (const { status, body } of answers) {
    assert.deepEqual([status, body], [404, { error: 'not_found', message: 'There is no such record.' }])
  }
})

test('only keys that manage streams read a ledger', async () => {
  const stream = await make.stream(app.tenant.organizationId)
  for (const path of ['history', 'history/1']) {
    const { status } = await app.ask('GET', `/ssf_streams/${stream.id}/${path}`, { key: app.tenant.readOnlyKey })
    assert.equal(status, 403, path)
  }
})
