import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { findReportingTable } from '../catalogue/catalogue.ts'
import { readSnapshot } from '../read-snapshot.ts'
import { recordSnapshots } from '../record-snapshots.ts'
import { rememberSnapshotTimes } from '../snapshot-times.ts'
import { recordProblems } from './record-problems.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(() => database.reset())

const at = (minute: number) => new Date(Date.parse('2026-11-20T09:00:00.000Z') + minute * 60_000).toISOString()
const denied = { tableName: 'device_users', type: 'denied', message: 'distributed query is denylisted' } as const
const missing = { tableName: 'device_battery', type: 'missing', message: 'no such table: battery' } as const

async function makePlace() {
  const { id: organizationId } = await make.organization()
  return { organizationId, deviceId: (await make.device(organizationId)).id }
}
type Place = Awaited<ReturnType<typeof makePlace>>

const stored = () =>
  database.db
    .selectFrom('device_table_problems')
    .select(['device_id', 'reporting_table as table', 'type', 'message', 'since'])
    .orderBy('device_id')
    .orderBy('reporting_table')
    .execute()

async function report(place: Place, minute: number, username = 'ada', isScheduled = true) {
  const table = findReportingTable('device_users')
  assert.ok(table?.kind === 'inventory')
  const snapshot = await readSnapshot({ table, rows: [{ username }], takenAt: at(minute), isScheduled })
  return recordSnapshots(database.db, times, place, [snapshot], at(minute))
}
let times = rememberSnapshotTimes()
beforeEach(() => {
  times = rememberSnapshotTimes()
})

test('a problem is stored with its first time, and the same again writes nothing', async () => {
  const place = await makePlace()
  await recordProblems(database.db, place, [denied, missing], at(0))
  const before = await rowVersions(database.db)
  await recordProblems(database.db, place, [denied, missing], at(60))
  await recordProblems(database.db, place, [], at(61))
  assert.deepEqual(await rowVersions(database.db), before)
  assert.deepEqual(await stored(), [
    { device_id: place.deviceId, table: 'device_battery', type: 'missing', message: missing.message, since: at(0) },
    { device_id: place.deviceId, table: 'device_users', type: 'denied', message: denied.message, since: at(0) },
  ])
})

test('another message of the same type keeps the time, another type does not, and the last of several counts', async () => {
  const place = await makePlace()
  await recordProblems(database.db, place, [denied], at(0))
  await recordProblems(database.db, place, [{ ...denied, message: 'denylisted still' }], at(1))
  assert.deepEqual(
    (await stored()).map(({ message, since }) => [message, since]),
    [['denylisted still', at(0)]],
  )
  await recordProblems(database.db, place, [missing, denied, { ...denied, type: 'failed', message: 'disk' }], at(2))
  assert.deepEqual(
    (await stored()).map(({ table, type, message, since }) => [table, type, message, since]),
    [
      ['device_battery', 'missing', missing.message, at(2)],
      ['device_users', 'failed', 'disk', at(2)],
    ],
  )
})

test('a table that is reported has no problem any more: for the first time, changed or as it was', async () => {
  const place = await makePlace()
  for (const [minute, username, outcome] of [
    [1, 'ada', 'changed'],
    [3, 'bob', 'changed'],
    [5, 'bob', 'unchanged'],
  ] as const) {
    await recordProblems(database.db, place, [denied, missing], at(minute - 1))
    assert.deepEqual(await report(place, minute, username), [outcome])
    assert.deepEqual(
      (await stored()).map(({ table }) => table),
      ['device_battery'],
      `minute ${minute}`,
    )
  }
})

test('what is outdated clears nothing', async () => {
  const place = await makePlace()
  await report(place, 10)
  await recordProblems(database.db, place, [denied], at(11))
  assert.deepEqual(await report(place, 12, 'bob', false), ['outdated'])
  assert.deepEqual(await report(place, 9.5, 'bob'), ['outdated'])
  assert.equal((await stored()).length, 1)
})

test('a table that came as it was writes nothing beside problems of other tables, devices and organizations', async () => {
  const [place, stranger] = [await makePlace(), await makePlace()]
  const neighbor = { ...place, deviceId: (await make.device(place.organizationId)).id }
  await report(place, 0)
  await recordProblems(database.db, place, [missing], at(1))
  for (const other of [stranger, neighbor]) await recordProblems(database.db, other, [denied], at(1))
  const before = await rowVersions(database.db)
  assert.deepEqual(await report(place, 2), ['unchanged'])
  assert.deepEqual(await rowVersions(database.db), before)
  await recordProblems(database.db, place, [denied], at(3))
  await report(place, 4)
  assert.deepEqual(
    (await stored()).map(({ device_id: id, table }) => `${id} ${table}`).sort(),
    [
      `${neighbor.deviceId} device_users`,
      `${place.deviceId} device_battery`,
      `${stranger.deviceId} device_users`,
    ].sort(),
  )
})

test('a deleted device and one of another organization take no problem, and a purged one loses its own', async () => {
  const [place, other] = [await makePlace(), await makePlace()]
  await recordProblems(database.db, { ...other, deviceId: place.deviceId }, [denied], at(0))
  await database.db
    .updateTable('devices')
    .set({ deleted_at: at(0) })
    .where('id', '=', place.deviceId)
    .execute()
  await recordProblems(database.db, place, [denied], at(1))
  assert.deepEqual(await stored(), [])
  await recordProblems(database.db, other, [denied], at(1))
  await database.db.deleteFrom('devices').where('id', '=', other.deviceId).execute()
  assert.deepEqual(await stored(), [])
})

testOnPostgres('processes that record problems of one device at a time keep one row each', async () => {
  const place = await makePlace()
  await Promise.all(
    Array.from({ length: 16 }, (_, index) =>
      recordProblems(database.db, place, index % 2 ? [denied, missing] : [missing, denied], at(0)),
    ),
  )
  assert.equal((await stored()).length, 2)
})
