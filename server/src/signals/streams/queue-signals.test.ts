import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { numberEvents } from '../../../test/support/number-events.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { type ComplianceChange, queueComplianceChanges } from './queue-signals.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

let organizationId: string

beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const stream = async (status: 'enabled' | 'paused' | 'disabled' = 'enabled', of = organizationId) =>
  (await make.stream(of, { status })).id

const ledger = () =>
  database.db
    .selectFrom('ssf_stream_events')
    .select(['stream_id', 'device_id', 'sequence', 'state'])
    .orderBy('stream_id')
    .orderBy('id')
    .execute()

const keyOf = (streamId: string) => ({ organizationId, streamId })
const change = (deviceId: string): ComplianceChange => ({
  deviceId,
  previous: 'compliant',
  current: 'not-compliant',
  initiator: 'policy',
  txn: 'T',
  occurredAt: startOfTests,
})

test('a device that blocks is queued for every stream that is not off, with owner and reasons as they are', async () => {
  const [one, paused] = [await stream(), await stream('paused')]
  await stream('disabled')
  await stream('enabled', (await make.organization()).id)
  const owner = await make.person(organizationId, { email: 'ana@acme.example' })
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const check = await make.check(organizationId, {
    issue_title: 'Disk is not encrypted',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  await make.result({ device, check, rows: 'FAIL', at: minute(1) })
  const queued = { device_id: device.id, sequence: null, state: 'pending' }
  assert.deepEqual(
    await ledger(),
    [one, paused].map((id) => ({ stream_id: id, ...queued })),
  )
  const signals = await database.db.selectFrom('ssf_signals').selectAll().execute()
  assert.deepEqual(
    signals.map(({ id, txn, organization_id, ...signal }) => signal),
    [
      {
        kind: 'compliance_change',
        device_id: device.id,
        user_email: 'ana@acme.example',
        occurred_at: minute(1),
        event: {
          previous_status: 'compliant',
          current_status: 'not-compliant',
          event_timestamp: Date.parse(minute(1)) / 1_000,
          initiating_entity: 'policy',
          reason_admin: { en: 'Blocked by: Disk is not encrypted' },
          reason_user: { en: 'To sign in again, fix: Disk is not encrypted' },
        },
      },
    ],
  )
  const before = await rowVersions(database.db)
  await make.result({ device, check, rows: 'FAIL', at: minute(1) })
  assert.deepEqual(await rowVersions(database.db), before)
  await make.result({ device, check, rows: 'PASS', at: minute(2) })
  const mended = await database.db.selectFrom('ssf_signals').select('event').orderBy('id', 'desc').executeTakeFirst()
  assert.deepEqual(mended?.event['reason_admin'], { en: 'No issue is blocking this device anymore' })
  assert.equal(mended?.event['reason_user'], undefined)
  assert.equal((await ledger()).length, 4)
})

test('nothing is written where nobody listens', async () => {
  const device = await make.device(organizationId)
  await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, [change(device.id)]))
  assert.equal((await database.db.selectFrom('ssf_signals').selectAll().execute()).length, 0)
})

test('numbers follow the order of queueing without gaps, and a repeat writes nothing', async () => {
  const [one, two] = [await stream(), await stream()]
  const device = await make.device(organizationId)
  const queue = (count: number) =>
    transact(database.db, (tx) =>
      queueComplianceChanges(
        tx,
        organizationId,
        Array.from({ length: count }, () => change(device.id)),
      ),
    )
  await queue(3)
  assert.equal(await numberEvents(database.db, [keyOf(one)]), 3)
  await queue(2)
  assert.equal(await numberEvents(database.db, [keyOf(one), keyOf(two)]), 7)
  const rows = await ledger()
  for (const id of [one, two]) {
    const own = rows.filter(({ stream_id }) => stream_id === id)
    assert.deepEqual(
      own.map(({ sequence }) => sequence),
      ['1', '2', '3', '4', '5'],
    )
  }
  const before = await rowVersions(database.db)
  assert.equal(await numberEvents(database.db, [keyOf(one), keyOf(two)]), 0)
  assert.deepEqual(await rowVersions(database.db), before)
})

testOnPostgres('a change that commits late gets a later number and is not passed over', async () => {
  const one = await stream()
  const [early, late] = [await make.device(organizationId), await make.device(organizationId)]
  let commit = () => {}
  const committed = new Promise<void>((resolve) => {
    commit = resolve
  })
  let queued = () => {}
  const isQueued = new Promise<void>((resolve) => {
    queued = resolve
  })
  const slow = transact(database.db, async (tx) => {
    await queueComplianceChanges(tx, organizationId, [change(late.id)])
    queued()
    await committed
  })
  await isQueued
  await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, [change(early.id)]))
  assert.equal(await numberEvents(database.db, [keyOf(one)]), 1)
  commit()
  await slow
  assert.equal(await numberEvents(database.db, [keyOf(one)]), 1)
  const numbers = new Map((await ledger()).map(({ device_id, sequence }) => [device_id, sequence]))
  assert.deepEqual([numbers.get(early.id), numbers.get(late.id)], ['1', '2'])
})

testOnPostgres('sequencers of several processes give every event one number', async () => {
  const streams = await Promise.all(Array.from({ length: 4 }, () => stream()))
  const devices = await Promise.all(Array.from({ length: 10 }, () => make.device(organizationId)))
  const writers = devices.map(async (device) => {
    for (let round = 0; round < 10; round += 1) {
      await transact(database.db, (tx) => queueComplianceChanges(tx, organizationId, [change(device.id)]))
    }
  })
  const sequencers = Array.from({ length: 6 }, async () => {
    for (let round = 0; round < 20; round += 1) await numberEvents(database.db, streams.map(keyOf))
  })
  await Promise.all([...writers, ...sequencers])
  await numberEvents(database.db, streams.map(keyOf))
  const { rows } = await sql<{ count: string; last: string; distinct: string }>`
    select count(*) as count, max(sequence) as last, count(distinct sequence) as distinct
    from ssf_stream_events group by stream_id`.execute(database.db)
  assert.deepEqual(rows, Array(4).fill({ count: '100', last: '100', distinct: '100' }))
})
