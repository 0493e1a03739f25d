import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../test/support/database.ts'
import { makeIn } from '../../test/support/make.ts'
import { rowVersions } from '../../test/support/row-versions.ts'
import { inventoryTables } from './catalogue/catalogue.ts'
import { readSnapshot, type Snapshot } from './read-snapshot.ts'
import { recordSnapshots } from './record-snapshots.ts'
import { rememberSnapshotTimes } from './snapshot-times.ts'

const database = testDatabase()
const make = makeIn(database)

beforeEach(() => database.reset())

const tableNamed = (name: string) => inventoryTables.find((one) => one.name === name) ?? assert.fail(name)
const at = (minute: number) => new Date(Date.parse('2026-11-20T09:00:00.000Z') + minute * 60_000).toISOString()

type Place = { organizationId: string; deviceId: string }

async function makePlace(): Promise<Place> {
  const { id: organizationId } = await make.organization()
  return { organizationId, deviceId: (await make.device(organizationId)).id }
}

function snapshotOf(
  groups: readonly string[],
  minute: number,
  { isScheduled = true, name = 'device_user_groups' } = {},
) {
  const rows = groups.map((groupname) => ({ username: 'ada', groupname }))
  return readSnapshot({ table: tableNamed(name), rows, takenAt: at(minute), isScheduled })
}

const record = async (
  place: Place,
  times: ReturnType<typeof rememberSnapshotTimes>,
  ...snapshots: Promise<Snapshot>[]
) => recordSnapshots(database.db, times, place, await Promise.all(snapshots), at(0))

async function stored({ deviceId }: Place) {
  const rows = await database.db
    .selectFrom('device_snapshot_rows')
    .select(['id', 'content'])
    .where('device_id', '=', deviceId)
    .where('reporting_table', '=', 'device_user_groups')
    .execute()
  return new Map(rows.map(({ id, content }) => [content['groupname'] ?? '', id]))
}

const head = ({ deviceId }: Place) =>
  database.db
    .selectFrom('device_snapshots')
    .select(['reporting_table', 'is_truncated', 'is_scheduled', 'taken_at'])
    .where('device_id', '=', deviceId)
    .orderBy('reporting_table')
    .execute()

test('a first snapshot is stored whole', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  assert.deepEqual(await record(place, times, snapshotOf(['wheel', 'staff'], 0)), ['changed'])
  assert.deepEqual([...(await stored(place)).keys()].sort(), ['staff', 'wheel'])
  assert.deepEqual(await head(place), [
    { reporting_table: 'device_user_groups', is_truncated: false, is_scheduled: true, taken_at: at(0) },
  ])
})

test('an empty snapshot is stored as one, and empties what was there', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  assert.deepEqual(await record(place, times, snapshotOf(['wheel'], 0)), ['changed'])
  assert.deepEqual(await record(place, times, snapshotOf([], 1)), ['changed'])
  assert.equal((await stored(place)).size, 0)
  assert.deepEqual(await record(place, times, snapshotOf([], 2)), ['unchanged'])
})

test('an unchanged snapshot writes nothing; its moment is written with the next batch', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['wheel', 'staff'], 0))
  const before = await rowVersions(database.db)
  assert.deepEqual(await record(place, times, snapshotOf(['staff', 'wheel', 'staff'], 60)), ['unchanged'])
  assert.deepEqual(await rowVersions(database.db), before)
  await times.flush(database.db)
  assert.equal((await head(place))[0]?.taken_at, at(60))
  const flushed = await rowVersions(database.db)
  assert.deepEqual(flushed['device_snapshot_rows'], before['device_snapshot_rows'])
  times.note(place, 'device_user_groups', at(60))
  await times.flush(database.db)
  assert.deepEqual(await rowVersions(database.db), flushed, 'a moment that is written already writes nothing')
})

test('a changed snapshot writes only its difference', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['a', 'b', 'c'], 0))
  const before = await stored(place)
  await record(place, times, snapshotOf(['b', 'c', 'd'], 1))
  const after = await stored(place)
  assert.deepEqual([...after.keys()].sort(), ['b', 'c', 'd'])
  assert.deepEqual([after.get('b'), after.get('c')], [before.get('b'), before.get('c')])
  assert.ok(![...before.values()].includes(after.get('d') ?? ''))
})

test('a snapshot that another one overtakes is ignored, also where that changed nothing and is not written yet', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['a'], 10))
  assert.deepEqual(await record(place, times, snapshotOf(['b'], 9.5)), ['outdated'])
  assert.deepEqual(await record(place, times, snapshotOf(['a'], 30)), ['unchanged'])
  assert.deepEqual(await record(place, times, snapshotOf(['b'], 29.5)), ['outdated'])
  assert.deepEqual([...(await stored(place)).keys()], ['a'])
  assert.deepEqual(await record(place, times, snapshotOf(['b'], 31)), ['changed'])
})

test('a server whose clock was ahead shuts out nothing', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['a'], 1_000))
  await record(place, times, snapshotOf(['a'], 2_000))
  assert.deepEqual(await record(place, times, snapshotOf(['b'], 10)), ['changed'])
  assert.deepEqual([...(await stored(place)).keys()], ['b'])
})

test('the first round gives way to the schedule, whatever the clock of the device says, and never replaces it', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['a'], 1_000, { isScheduled: false }))
  assert.deepEqual(await record(place, times, snapshotOf(['b'], 0)), ['changed'])
  assert.deepEqual(await record(place, times, snapshotOf(['a'], 2_000, { isScheduled: false })), ['outdated'])
  assert.deepEqual([...(await stored(place)).keys()], ['b'])
  assert.equal((await head(place))[0]?.is_scheduled, true)
})

test('an unchanged scheduled snapshot takes over from the first round', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  await record(place, times, snapshotOf(['a'], 1_000, { isScheduled: false }))
  assert.deepEqual(await record(place, times, snapshotOf(['a'], 5)), ['unchanged'])
  await times.flush(database.db)
  const [row] = await head(place)
  assert.deepEqual([row?.is_scheduled, row?.taken_at], [true, at(5)])
})

test('several tables of a batch are stored together or not at all', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  const failing = { ...(await snapshotOf(['a'], 0, { name: 'device_users' })), takenAt: 'no moment' }
  await assert.rejects(record(place, times, snapshotOf(['a'], 0), Promise.resolve(failing)))
  assert.deepEqual(await head(place), [])
  const both = [snapshotOf(['a'], 0), snapshotOf(['a'], 0, { name: 'device_users' })]
  assert.deepEqual(await record(place, times, ...both), ['changed', 'changed'])
  assert.equal((await head(place)).length, 2)
})

test('a deleted device and another organization get nothing', async () => {
  const [place, times, other] = [await makePlace(), rememberSnapshotTimes(), await makePlace()]
  await database.db
    .updateTable('devices')
    .set({ deleted_at: at(0) })
    .where('id', '=', place.deviceId)
    .execute()
  await record(place, times, snapshotOf(['a'], 0))
  await record({ organizationId: other.organizationId, deviceId: place.deviceId }, times, snapshotOf(['a'], 0))
  assert.deepEqual(await database.db.selectFrom('device_snapshots').selectAll().execute(), [])
})

test('what is noted of a device that is gone by the flush is dropped, and of the others is written', async () => {
  const [gone, place, times] = [await makePlace(), await makePlace(), rememberSnapshotTimes()]
  for (const one of [gone, place]) {
    await record(one, times, snapshotOf(['a'], 0))
    await record(one, times, snapshotOf(['a'], 1))
  }
  await database.db.deleteFrom('devices').where('id', '=', gone.deviceId).execute()
  await times.flush(database.db)
  assert.equal((await head(place))[0]?.taken_at, at(1))
  assert.equal(times.unwritten(place).size, 0)
})

test('after any history the rows are those of the last snapshot, and rows that stayed kept their identifiers', async () => {
  const place = await makePlace()
  const times = rememberSnapshotTimes()
  let minute = 0
  let known = new Map<string, string>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd', '"', '\\', '{}', "'", 'é', '\0'), { maxLength: 12 }),
      async (groups) => {
        minute += 1
        await record(place, times, snapshotOf(groups, minute))
        const rows = await stored(place)
        const wanted = new Set(groups.map((group) => group.replace('\0', '\ufffd')))
        assert.deepEqual([...rows.keys()].sort(), [...wanted].sort())
        for (const [group, id] of rows) if (known.has(group)) assert.equal(id, known.get(group))
        known = rows
      },
    ),
    { numRuns: 60 },
  )
})

test('a large table that changes altogether is stored about as fast as at first, also before the database has statistics', async () => {
  const [place, times] = [await makePlace(), rememberSnapshotTimes()]
  const many = (release: number) => Array.from({ length: 5_000 }, (_, index) => `group ${index} of release ${release}`)
  const timed = async (work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    return performance.now() - startedAt
  }
  const atFirst = await timed(() => record(place, times, snapshotOf(many(1), 1)))
  const again = await timed(async () =>
    assert.deepEqual(await record(place, times, snapshotOf(many(2), 2)), ['changed']),
  )
  // Comparing each row with each other one takes hundreds of times as long.
  assert.ok(again < 30 * atFirst + 5_000, `${again} ms after ${atFirst} ms`)
  assert.equal((await stored(place)).size, 5_000)
})

testOnPostgres('processes that record one device at a time leave the latest, each row once', async () => {
  const place = await makePlace()
  const histories = Array.from({ length: 24 }, (_, second) => snapshotOf(['same', `only ${second}`], second / 60))
  await Promise.all(histories.map((snapshot) => record(place, rememberSnapshotTimes(), snapshot)))
  assert.deepEqual([...(await stored(place)).keys()].sort(), ['only 23', 'same'])
  const { rows } = await sql<{ count: string }>`select count(*) from device_snapshot_rows`.execute(database.db)
  assert.equal(rows[0]?.count, '2')
})
