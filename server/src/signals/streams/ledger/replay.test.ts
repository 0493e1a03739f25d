import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { baseUrl, testApp } from '../../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { numberEvents } from '../../../../test/support/number-events.ts'
import { rowVersions } from '../../../../test/support/row-versions.ts'
import { systemChange } from '../../../base/change-context.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { issueTokens } from '../issue-tokens.ts'
import { listPending } from '../list-pending.ts'
import { findStream } from '../queries.ts'
import { queueComplianceChanges } from '../queue-signals.ts'
import { queueStreamSignal } from '../queue-stream-signal.ts'
import { tokenSigner } from '../token-signer.ts'
import { replayEvents } from './replay-events.ts'

const app = testApp()
const make = makeIn(app.database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(() => app.reset())

/** A poll stream with events of two devices in turn, minute by minute, all of them issued. */
async function streamWith(count: number) {
  const { organizationId } = app.tenant
  const stream = await make.stream(organizationId, { name: 'Okta' })
  const devices = [await make.device(organizationId), await make.device(organizationId)]
  const change = { previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T' } as const
  for (let index = 0; index < count; index += 1) {
    const one = { ...change, deviceId: devices[index % 2]?.id ?? '', occurredAt: minute(index) }
    await transact(app.db, (tx) => queueComplianceChanges(tx, organizationId, [one]))
  }
  await pending(stream.id)
  return stream
}

async function pending(streamId: string) {
  const issuer = { db: app.db, signer: tokenSigner(app.db, app.secrets), baseUrl, clock: app.now }
  const wanted = { organizationId: app.tenant.organizationId, streamId, limit: 100, except: [], exceptDevices: [] }
  await numberEvents(app.db, [{ organizationId: app.tenant.organizationId, streamId }])
  return issueTokens(issuer, await listPending(app.db, [wanted]))
}

const settle = (state: 'delivered' | 'acknowledged' | 'rejected' | 'expired') =>
  app.db
    .updateTable('ssf_stream_events')
    .set({ state, settled_at: minute(30), error_code: state === 'rejected' ? 'invalid_key' : null })
    .where('state', '=', 'pending')
    .execute()

const replay = (streamId: string, body: unknown) => app.ask('POST', `/ssf_streams/${streamId}/replay`, { body })
const audits = async () =>
  (await app.ask('GET', '/audit_logs?query=description~"Replayed"')).body.data.map(
    ({ description, actor_name }: { description: string; actor_name: string }) => [description, actor_name],
  )

test('replaySsfStreamEvents: settled events wait again in their order, the same tokens to the byte', async () => {
  const stream = await streamWith(4)
  const before = await pending(stream.id)
  for (const state of ['delivered', 'acknowledged', 'rejected', 'expired'] as const) {
    await settle(state)
    assert.deepEqual(await pending(stream.id), [])
    const { status, body } = await replay(stream.stream_id, { from: startOfTests, to: minute(4) })
    assert.deepEqual([status, body], [200, { replayed_count: 4, next_after_id: null }], state)
    assert.deepEqual(await pending(stream.id), before)
  }
  const [row] = (await app.ask('GET', `/ssf_streams/${stream.id}/history`)).body.data
  assert.deepEqual([row.state, row.settled_at, row.error], ['pending', null, null])
  assert.deepEqual(await audits(), Array(4).fill(['Replayed 4 events of the stream "Okta".', 'Full access']))
})

test('a replay asked twice, or of nothing, changes nothing', async () => {
  const stream = await streamWith(2)
  await settle('delivered')
  const [one] = await app.db.selectFrom('ssf_stream_events').select('jti').orderBy('id').execute()
  const jtis = [one?.jti, 'b4c0ffee']
  assert.deepEqual((await replay(stream.id, { jtis })).body, { replayed_count: 1, next_after_id: null })
  assert.deepEqual(await audits(), [['Replayed 1 event of the stream "Okta".', 'Full access']])
  const before = await rowVersions(app.db)
  for (const body of [{ jtis }, { from: minute(5), to: minute(9) }]) {
    assert.deepEqual((await replay(stream.id, body)).body, { replayed_count: 0, next_after_id: null })
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a range takes changes of devices only, in the states asked for and up to its end', async () => {
  const stream = await streamWith(4)
  const own = { organizationId: app.tenant.organizationId, streamId: stream.id, event: {}, txn: 'T', now: minute(1) }
  await transact(app.db, (tx) => queueStreamSignal(tx, { ...own, kind: 'verification' }))
  await pending(stream.id)
  await settle('delivered')
  await sql`update ssf_stream_events set state = 'rejected' where sequence in (2, 4)`.execute(app.db)
  await replay(stream.id, { from: startOfTests, to: minute(3), states: ['rejected'] })
  assert.deepEqual(
    (await pending(stream.id)).map(({ sequence }) => sequence),
    ['2'],
  )
  await replay(stream.id, { from: startOfTests, to: minute(3) })
  assert.deepEqual(
    (await pending(stream.id)).map(({ sequence }) => sequence),
    ['1', '2', '3'],
  )
})

test('a long range is done in parts, each saying where the next begins', async () => {
  const { organizationId } = app.tenant
  const made = await streamWith(5)
  await settle('delivered')
  const stream = await findStream(app.db, organizationId, made.id)
  assert.ok(stream)
  const ids = await app.db.selectFrom('ssf_stream_events').select('id').orderBy('id').execute()
  const part = (afterId: string) =>
    transact(app.db, (tx) =>
      replayEvents(
        tx,
        {
          stream,
          choice: { kind: 'range', from: startOfTests, to: minute(9), states: ['delivered'], afterId },
          most: 2,
        },
        systemChange(organizationId, app.now()),
      ),
    )
  const [, second, , fourth] = ids.map(({ id }) => id)
  assert.deepEqual(await part('0'), { count: 2, goOnAfter: second })
  await settle('delivered')
  assert.deepEqual(await part(second ?? ''), { count: 2, goOnAfter: fourth })
  assert.deepEqual(await part(fourth ?? ''), { count: 1, goOnAfter: null })
  assert.deepEqual(
    (await pending(made.id)).map(({ sequence }) => sequence),
    ['3', '4', '5'],
  )
})

test('what cannot be a choice of events is refused, and events of other streams are left alone', async () => {
  const stream = await streamWith(1)
  const other = await make.stream(app.tenant.organizationId)
  await settle('delivered')
  const [event] = await app.db.selectFrom('ssf_stream_events').select('jti').execute()
  assert.deepEqual((await replay(other.id, { jtis: [event?.jti] })).body.replayed_count, 0)
  const fieldsOf = async (body: unknown) => {
    const { status, body: refusal } = await replay(stream.id, body)
    assert.equal(status, 422, JSON.stringify(body))
    return refusal.errors.map(({ field }: { field: string }) => field)
  }
  assert.deepEqual(await fieldsOf({}), ['from', 'to'])
  assert.deepEqual(await fieldsOf({ from: '2026-02-30', to: minute(1) }), ['from'])
  assert.deepEqual(await fieldsOf({ jtis: ['a'], states: ['expired'], to: minute(1) }), ['to', 'states'])
  assert.deepEqual(await fieldsOf({ jtis: ['a\u0000b'] }), ['jtis/0'])
  assert.deepEqual(await fieldsOf({ from: minute(0), to: minute(1), states: ['pending'] }), ['states/0'])
})
