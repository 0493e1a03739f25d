import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { limitConcurrency } from '../../base/jobs/limit-concurrency.ts'
import { plusMs } from '../../base/time.ts'
import { isDatabaseUnavailable } from '../../http/database-unavailable.ts'
import { statusColumn } from '../standing/rules.ts'
import { recordInBatches, TooManyRecordings } from './record-in-batches.ts'
import type { Recording } from './record-results.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(async () => {
  await database.ready
  await database.reset()
})

type Device = { organization_id: string; id: string }

const recordingOf = (device: Device, checks: readonly MadeCheck[], status: string, at = minute(1)): Recording => ({
  organizationId: device.organization_id,
  deviceId: device.id,
  runs: checks.map((check) => ({
    checkId: check.id,
    queryRevision: '1',
    ranAt: at,
    outcome: { kind: 'rows', rows: [{ [statusColumn]: status }] },
  })),
  context: contextAt(at),
})

async function fleet(size: number) {
  const { id } = await make.organization()
  const checks = [await make.check(id), await make.check(id)]
  const devices: Device[] = []
  for (let made = 0; made < size; made += 1) devices.push(await make.device(id))
  return { id, checks, devices }
}

const recorder = () => recordInBatches({ db: database.db, inTurn: (work) => work(), isDatabaseUnavailable })

const stored = () =>
  database.db
    .selectFrom('check_results')
    .select(['device_id', 'status', sql<string>`xmin::text`.as('transaction')])
    .execute()

test('what comes at once is recorded in few transactions, each device with its own outcome', async () => {
  const { checks, devices } = await fleet(12)
  const { record } = recorder()
  const accepted = await Promise.all(
    devices.map((device, place) => record(recordingOf(device, checks, place % 2 === 0 ? 'PASS' : 'FAIL'))),
  )
  assert.deepEqual(
    accepted.map((runs) => runs.map(({ checkId }) => checkId)),
    devices.map(() => checks.map(({ id }) => id)),
  )
  const results = await stored()
  for (const [place, { id }] of devices.entries()) {
    const statuses = results.filter(({ device_id }) => device_id === id).map(({ status }) => status)
    assert.deepEqual(statuses, place % 2 === 0 ? ['passing', 'passing'] : ['failing', 'failing'])
  }
  assert.equal(new Set(results.map(({ transaction }) => transaction)).size, 1)
})

test('each device’s events carry the cause of its own check-in', async () => {
  const { checks, devices } = await fleet(3)
  const { record } = recorder()
  const recordings = devices.map((device) => recordingOf(device, checks, 'FAIL'))
  await Promise.all(recordings.map(record))
  const events = await database.db
    .selectFrom('events')
    .select(['device_id', 'cause'])
    .where('type', '=', 'issues.new')
    .execute()
  assert.equal(events.length, 6)
  for (const { deviceId, context } of recordings) {
    const causes = events.filter(({ device_id }) => device_id === deviceId).map(({ cause }) => cause)
    assert.deepEqual(causes, [context.cause, context.cause])
  }
})

test('organizations are kept apart', async () => {
  const [ours, theirs] = [await fleet(2), await fleet(2)]
  const { record } = recorder()
  await Promise.all(
    [ours, theirs].flatMap(({ devices, checks }) =>
      devices.map((device) => record(recordingOf(device, checks, 'PASS'))),
    ),
  )
  const results = await stored()
  assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['passing']))
  assert.equal(new Set(results.map(({ transaction }) => transaction)).size, 2)
  const [foreign] = theirs.checks
  const [device] = ours.devices
  assert.ok(foreign && device)
  assert.deepEqual(await record(recordingOf(device, [foreign], 'FAIL', minute(2))), [])
})

test('two check-ins of one device at once are recorded one after the other', async () => {
  const { checks, devices } = await fleet(1)
  const [device] = devices
  assert.ok(device)
  const { record } = recorder()
  const accepted = await Promise.all([
    record(recordingOf(device, checks, 'PASS', minute(1))),
    record(recordingOf(device, checks, 'FAIL', minute(2))),
  ])
  assert.deepEqual(
    accepted.map(({ length }) => length),
    [2, 2],
  )
  assert.deepEqual(new Set((await stored()).map(({ status }) => status)), new Set(['failing']))
})

test('a flood of one organization does not keep another waiting', async () => {
  const [loud, quiet] = [await fleet(100), await fleet(1)]
  // One batch at a time: of several the one that began last may end first.
  const { record } = recordInBatches({ db: database.db, inTurn: limitConcurrency(1), isDatabaseUnavailable })
  let recorded = 0
  const flood = loud.devices.map(async (device) => {
    await record(recordingOf(device, loud.checks, 'PASS'))
    recorded += 1
  })
  const [device] = quiet.devices
  assert.ok(device)
  await record(recordingOf(device, quiet.checks, 'PASS'))
  assert.ok(recorded <= 32, `${recorded} of the flood came before`)
  await Promise.all(flood)
})

test('what finds no room is refused', async () => {
  const { checks, devices } = await fleet(1)
  const [device] = devices
  assert.ok(device)
  const neverInTurn = () => new Promise<never>(() => {})
  const { record, waiting } = recordInBatches({ db: database.db, inTurn: neverInTurn, isDatabaseUnavailable })
  for (let sent = 0; sent < 2_048; sent += 1) void record(recordingOf(device, checks, 'PASS'))
  await assert.rejects(record(recordingOf(device, checks, 'PASS')), TooManyRecordings)
  assert.equal(waiting(), 2_048)
})

test('it is settled when everything taken in has been answered', async () => {
  const { checks, devices } = await fleet(40)
  const { record, settled, waiting } = recorder()
  await settled()
  let answered = 0
  for (const device of devices) void record(recordingOf(device, checks, 'PASS')).then(() => (answered += 1))
  await settled()
  assert.deepEqual([answered, waiting()], [40, 0])
})

test('while the database is away, all of a batch fails at once', async () => {
  const { checks, devices } = await fleet(8)
  let asked = 0
  const { record } = recordInBatches({
    db: database.db,
    inTurn: (work) => work(),
    isDatabaseUnavailable: () => {
      asked += 1
      return true
    },
  })
  await sql`alter table check_results rename to hidden_results`.execute(database.db)
  try {
    const outcomes = await Promise.allSettled(devices.map((device) => record(recordingOf(device, checks, 'PASS'))))
    assert.ok(outcomes.every(({ status }) => status === 'rejected'))
    assert.equal(asked, 1)
  } finally {
    await sql`alter table hidden_results rename to check_results`.execute(database.db)
  }
})

test('a device whose check-in cannot be recorded fails alone', async () => {
  const { checks, devices } = await fleet(12)
  const [, , , , bad] = devices
  assert.ok(bad)
  await sql`
    create function refuse_device() returns trigger language plpgsql as $$
    begin
      if new.device_id = ${sql.raw(bad.id)} then raise exception 'refused for the test'; end if;
      return new;
    end $$`.execute(database.db)
  await sql`create trigger refuse_device before update on check_results for each row execute function refuse_device()`.execute(
    database.db,
  )
  try {
    const { record } = recorder()
    const outcomes = await Promise.allSettled(devices.map((device) => record(recordingOf(device, checks, 'PASS'))))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      devices.map((device) => (device === bad ? 'rejected' : 'fulfilled')),
    )
    const passing = (await stored()).filter(({ status }) => status === 'passing')
    assert.equal(passing.length, 22)
    assert.ok(passing.every(({ device_id }) => device_id !== bad.id))
  } finally {
    await sql`drop function refuse_device() cascade`.execute(database.db)
  }
})
