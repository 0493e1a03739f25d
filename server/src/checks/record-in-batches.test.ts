import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../test/support/database.ts'
import { happeningAt, type MadeCheck, makeIn, startOfTests } from '../../test/support/make.ts'
import { plusMs } from '../issues/rules.ts'
import { recordInBatches } from './record-in-batches.ts'
import type { Recording } from './record-results.ts'
import { statusColumn } from './rules.ts'

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
  happening: happeningAt(at),
})

async function fleet(size: number) {
  const { id } = await make.organization()
  const checks = [await make.check(id), await make.check(id)]
  const devices: Device[] = []
  for (let made = 0; made < size; made += 1) devices.push(await make.device(id))
  return { id, checks, devices }
}

const stored = () =>
  database.db
    .selectFrom('check_results')
    .select(['device_id', 'status', sql<string>`xmin::text`.as('transaction')])
    .execute()

test('what comes at once is recorded in few transactions, each device with its own outcome', async () => {
  const { checks, devices } = await fleet(12)
  const record = recordInBatches(database.db)
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
  const record = recordInBatches(database.db)
  const recordings = devices.map((device) => recordingOf(device, checks, 'FAIL'))
  await Promise.all(recordings.map(record))
  const events = await database.db
    .selectFrom('events')
    .select(['device_id', 'cause'])
    .where('type', '=', 'issues.new')
    .execute()
  assert.equal(events.length, 6)
  for (const { deviceId, happening } of recordings) {
    const causes = events.filter(({ device_id }) => device_id === deviceId).map(({ cause }) => cause)
    assert.deepEqual(causes, [happening.cause, happening.cause])
  }
})

test('organizations are kept apart', async () => {
  const [ours, theirs] = [await fleet(2), await fleet(2)]
  const record = recordInBatches(database.db)
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
  const record = recordInBatches(database.db)
  const accepted = await Promise.all([
    record(recordingOf(device, checks, 'PASS', minute(1))),
    record(recordingOf(device, checks, 'FAIL', minute(2))),
  ])
  const [first, second] = accepted.map(({ length }) => length)
  // Two transactions are under way at a time: the earlier check-in is refused where the later one has come first.
  assert.ok(first === 2 || first === 0)
  assert.equal(second, 2)
  assert.deepEqual(new Set((await stored()).map(({ status }) => status)), new Set(['failing']))
})

test('a device whose check-in cannot be recorded fails alone', async () => {
  const { checks, devices } = await fleet(3)
  const [, bad] = devices
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
    const record = recordInBatches(database.db)
    const outcomes = await Promise.allSettled(devices.map((device) => record(recordingOf(device, checks, 'PASS'))))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const passing = (await stored()).filter(({ status }) => status === 'passing')
    assert.equal(passing.length, 4)
    assert.ok(passing.every(({ device_id }) => device_id !== bad.id))
  } finally {
    await sql`drop function refuse_device() cascade`.execute(database.db)
  }
})
