import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../../test/support/make.ts'
import { rowVersions } from '../../../../test/support/row-versions.ts'
import { transact } from '../../../base/db/transact.ts'
import { plusMs } from '../../../base/time.ts'
import { type ComplianceChange, queueComplianceChanges } from '../queue-signals.ts'
import { queueStreamSignal } from '../queue-stream-signal.ts'
import { rememberPurged } from '../remember-purged.ts'
import { dropSettledEvents } from './drop-settled-events.ts'
import { runStreamRetention, runVerificationRetention } from './run-stream-retention.ts'

const database = testDatabase()
const make = makeIn(database)
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const day = (count: number) => hour(24 * count)
let organizationId: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const change = (deviceId: string, occurredAt: string): ComplianceChange => ({
  ...{ deviceId, previous: 'compliant', current: 'not-compliant', initiator: 'policy', txn: 'T', occurredAt },
})

const queue = (...changes: ComplianceChange[]) =>
  transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, changes))

const ledger = () =>
  database.db
    .selectFrom('ssf_stream_events')
    .select(['stream_id', 'sequence', 'state', 'settled_at', 'queued_at'])
    .orderBy('id')
    .execute()
const statesNow = async () => (await ledger()).map(({ state }) => state)

const settle = (at: string) =>
  database.db.updateTable('ssf_stream_events').set({ state: 'delivered', settled_at: at }).execute()

async function countOf(
  table: 'ssf_signals' | 'ssf_stream_events' | 'ssf_streams' | 'ssf_poll_tokens' | 'ssf_attempts',
) {
  return (await database.db.selectFrom(table).select('organization_id').execute()).length
}

test('what has waited for 30 days is numbered and expires, and nothing earlier', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  for (const count of [0, 1, 2]) await queue(change(device.id, day(count)))
  await runStreamRetention(database.db, day(30))
  assert.deepEqual(await statesNow(), ['pending', 'pending', 'pending'])
  await runStreamRetention(database.db, plusMs(day(31), 1))
  const expired = { stream_id: stream.id, state: 'expired', settled_at: plusMs(day(31), 1) }
  assert.deepEqual(await ledger(), [
    { ...expired, sequence: '1', queued_at: day(0) },
    { ...expired, sequence: '2', queued_at: day(1) },
    { stream_id: stream.id, state: 'pending', settled_at: null, sequence: '3', queued_at: day(2) },
  ])
  const before = await rowVersions(database.db)
  await runStreamRetention(database.db, plusMs(day(31), 1))
  assert.deepEqual(await rowVersions(database.db), before)
})

test('more than one batch of stale events expires in one run', async () => {
  await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(...Array.from({ length: 2_100 }, () => change(device.id, day(0))))
  await runStreamRetention(database.db, day(31))
  const { rows } = await sql<{ state: string; count: string; last: string }>`
    select state, count(*), max(sequence) as last from ssf_stream_events group by state`.execute(database.db)
  assert.deepEqual(rows, [{ state: 'expired', count: '2100', last: '2100' }])
})

test('an event that was replayed is given 30 days again', async () => {
  await make.stream(organizationId)
  const device = await make.device(organizationId)
  await queue(change(device.id, day(0)))
  await database.db
    .updateTable('ssf_stream_events')
    .set({ replayed_at: day(40) })
    .execute()
  await runStreamRetention(database.db, day(70))
  assert.deepEqual(await statesNow(), ['pending'])
  await runStreamRetention(database.db, day(71))
  assert.deepEqual(await statesNow(), ['expired'])
})

test('a verification expires after an hour, and nothing else does', async () => {
  const stream = await make.stream(organizationId)
  const device = await make.device(organizationId)
  const own = { organizationId, streamId: stream.id, event: {}, txn: 'T' }
  await transact(database.db, async (tx) => {
    await queueStreamSignal(tx, { ...own, kind: 'verification', now: hour(0) })
    await queueStreamSignal(tx, { ...own, kind: 'stream_updated', now: hour(0) })
    await queueStreamSignal(tx, { ...own, kind: 'verification', now: hour(1) })
  })
  await queue(change(device.id, hour(0)))
  await runVerificationRetention(database.db, hour(1))
  assert.deepEqual(await statesNow(), ['pending', 'pending', 'pending', 'pending'])
  await runVerificationRetention(database.db, plusMs(hour(1), 1))
  assert.deepEqual(await statesNow(), ['expired', 'pending', 'pending', 'pending'])
})

test('what was settled 90 days ago is removed with its attempts, and its signal once no stream refers to it', async () => {
  const [one, two] = [await make.stream(organizationId), await make.stream(organizationId)]
  const [old, young] = [await make.device(organizationId), await make.device(organizationId)]
  await queue(change(old.id, day(0)))
  await queue(change(young.id, day(50)))
  await settle(day(51))
  await database.db
    .updateTable('ssf_stream_events')
    .set({ settled_at: day(0) })
    .where('device_id', '=', old.id)
    .where('stream_id', '=', one.id)
    .execute()
  const events = await database.db.selectFrom('ssf_stream_events').select(['id', 'stream_id']).orderBy('id').execute()
  const attempts = events.map(({ id, stream_id }) => ({
    ...{ organization_id: organizationId, stream_id, event_id: id, attempted_at: day(0), duration_ms: 1, status: 202 },
  }))
  await database.db.insertInto('ssf_attempts').values(attempts).execute()
  await runStreamRetention(database.db, day(91))
  const left = (await ledger()).map(({ stream_id, queued_at }) => [stream_id, queued_at])
  assert.deepEqual(left, [
    [two.id, day(0)],
    [one.id, day(50)],
    [two.id, day(50)],
  ])
  assert.deepEqual([await countOf('ssf_signals'), await countOf('ssf_attempts')], [2, 3])
  await runStreamRetention(database.db, plusMs(day(141), 1))
  assert.deepEqual([await countOf('ssf_stream_events'), await countOf('ssf_signals')], [0, 0])
})

test('more signals than a batch are removed, and those that a ledger keeps are passed over', async () => {
  const [kept] = [await make.stream(organizationId), await make.stream(organizationId)]
  const device = await make.device(organizationId)
  await queue(...Array.from({ length: 4_100 }, () => change(device.id, day(0))))
  await settle(day(1))
  await sql`
    update ssf_stream_events set state = 'pending', settled_at = null, replayed_at = ${day(80)}
    where stream_id = ${kept?.id} and signal_id % 10 = 0`.execute(database.db)
  await runStreamRetention(database.db, day(92))
  const [events, signals] = [await countOf('ssf_stream_events'), await countOf('ssf_signals')]
  assert.deepEqual([events, signals], [410, 410])
})

test('a stream that was deleted goes an hour later with all that was its own, and no other', async () => {
  const [gone, stays] = [await make.stream(organizationId), await make.stream(organizationId)]
  const device = await make.device(organizationId)
  await queue(...Array.from({ length: 2_100 }, () => change(device.id, day(0))))
  const token = (streamId: string) => ({
    ...{ organization_id: organizationId, stream_id: streamId, lookup_hash: Buffer.from(streamId), created_at: day(0) },
  })
  await database.db
    .insertInto('ssf_poll_tokens')
    .values([token(gone.id), token(stays.id)])
    .execute()
  await database.db
    .updateTable('ssf_streams')
    .set({ deleted_at: day(1) })
    .where('id', '=', gone.id)
    .execute()
  await runStreamRetention(database.db, plusMs(day(1), 3_600_000))
  assert.equal(await countOf('ssf_streams'), 2)
  await runStreamRetention(database.db, plusMs(day(1), 3_600_001))
  const heads = await database.db.selectFrom('ssf_stream_deliveries').select('stream_id').execute()
  assert.deepEqual(heads, [{ stream_id: stays.id }])
  assert.deepEqual(
    [await countOf('ssf_streams'), await countOf('ssf_stream_events'), await countOf('ssf_poll_tokens')],
    [1, 2_100, 1],
  )
  assert.equal(await countOf('ssf_signals'), 2_100)
})

test('which devices are gone for good is kept for as long as there is a stream', async () => {
  const [first, last] = [await make.stream(organizationId), await make.stream(organizationId)]
  const device = await make.device(organizationId, { signalled_status: 'not-compliant' })
  const other = await make.device((await make.organization()).id, { signalled_status: 'not-compliant' })
  const kept = () => database.db.selectFrom('ssf_purged_devices').select('device_id').execute()
  for (const { organization_id, id } of [device, other]) {
    await transact(database.db, (tx) => rememberPurged(tx, organization_id, [{ deviceId: id, at: day(0) }]))
  }
  assert.deepEqual(await kept(), [{ device_id: device.id }], 'nothing is kept where there is no stream')
  for (const [index, { id }] of [first, last].entries()) {
    await database.db
      .updateTable('ssf_streams')
      .set({ deleted_at: day(0) })
      .where('id', '=', id)
      .execute()
    await runStreamRetention(database.db, day(1))
    assert.equal((await kept()).length, 1 - index)
  }
})

testOnPostgres('rows that another process holds are left for the next run', async () => {
  await make.stream(organizationId)
  const [held, free] = [await make.device(organizationId), await make.device(organizationId)]
  await queue(change(held.id, day(0)), change(free.id, day(0)))
  await settle(day(0))
  const isHeld = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const holder = transact(database.db, async (tx) => {
    await tx.selectFrom('ssf_stream_events').select('id').where('device_id', '=', held.id).forUpdate().execute()
    isHeld.resolve()
    await mayEnd.promise
  })
  await isHeld.promise
  assert.equal(await dropSettledEvents(database.db, day(91)), 1)
  mayEnd.resolve()
  await holder
  assert.equal(await dropSettledEvents(database.db, day(91)), 1)
})

test('a ledger is kept for as long as its organization chose, and what waits stays', async () => {
  const other = (await make.organization()).id
  const keeps = async (id: string, days: number) =>
    database.db
      .insertInto('organization_settings')
      .values({ organization_id: id, settled_signals_days: days, updated_at: day(0) })
      .execute()
  await keeps(organizationId, 7)
  await keeps(other, 200)
  for (const id of [organizationId, other]) {
    await make.stream(id)
    const device = await make.device(id)
    await transact(database.db, (tx) => queueComplianceChanges(tx, id, [change(device.id, day(0))]))
  }
  await settle(day(0))
  const waiting = await make.device(organizationId)
  await queue(change(waiting.id, day(0)))
  await runStreamRetention(database.db, day(7))
  assert.deepEqual([await countOf('ssf_stream_events'), await countOf('ssf_signals')], [3, 3])
  await runStreamRetention(database.db, plusMs(day(7), 1))
  assert.deepEqual(await statesNow(), ['delivered', 'pending'])
  assert.equal(await countOf('ssf_signals'), 2)
  await runStreamRetention(database.db, plusMs(day(199), 1))
  assert.equal((await statesNow())[0], 'delivered')
  await runStreamRetention(database.db, plusMs(day(200), 1))
  assert.ok(!(await ledger()).some(({ state }) => state === 'delivered'))
})
