import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { lockDevice } from './lock-device.ts'
import { settleDueDevices } from './settle-due-devices.ts'

const database = testDatabase()
const make = makeIn(database)
const due = plusMs(startOfTests, 7 * 86_400_000)

beforeEach(async () => {
  await database.ready
  await database.reset()
})

/** Devices of a new organization that will block at `due`. */
async function warned(count: number) {
  const { id } = await make.organization()
  const owner = await make.person(id)
  const check = await make.check(id, { configuration: { remediation_strategy: 'warn_then_block' } })
  const devices = []
  for (let made = 0; made < count; made += 1) {
    const device = await make.device(id, { registered_owner_id: owner.id })
    await make.result({ device, check, rows: 'FAIL' })
    devices.push(device)
  }
  return devices
}

const settle = (now: string, limit?: number) => settleDueDevices(database.db, () => contextAt(now), limit)
const states = async () =>
  (await database.db.selectFrom('devices').select('auth_state').orderBy('id').execute()).map((row) => row.auth_state)
const news = () =>
  database.db
    .selectFrom('events')
    .select(['device_id', 'data'])
    .where('type', '=', 'device_trust.status_changed')
    .where('occurred_at', '>=', due)
    .orderBy('id')
    .execute()

test('time alone blocks a device, at its moment and not a millisecond before', async () => {
  const [device] = await warned(1)
  const versions = await rowVersions(database.db)
  assert.equal(await settle(plusMs(due, -1)), 0)
  assert.deepEqual(await rowVersions(database.db), versions)
  assert.equal(await settle(due), 1)
  const stored = await database.db
    .selectFrom('devices')
    .select(['auth_state', 'will_block_at', 'signalled_status'])
    .execute()
  assert.deepEqual(stored, [{ auth_state: 'blocked', will_block_at: null, signalled_status: 'not-compliant' }])
  assert.deepEqual(await news(), [
    {
      device_id: device?.id,
      data: {
        from: 'will_block',
        to: 'blocked',
        initiator: 'policy',
        compliance: { previous: 'compliant', current: 'not-compliant' },
      },
    },
  ])
  const after = await rowVersions(database.db)
  assert.equal(await settle(plusMs(due, 1)), 0)
  assert.deepEqual(await rowVersions(database.db), after)
})

test('it continues batch by batch through every organization', async () => {
  await warned(3)
  await warned(2)
  assert.equal(await settle(due, 2), 5)
  assert.deepEqual(await states(), ['blocked', 'blocked', 'blocked', 'blocked', 'blocked'])
  assert.equal((await news()).length, 5)
})

test('a deleted device is passed over', async () => {
  await warned(2)
  await database.db.updateTable('devices').set({ deleted_at: startOfTests }).where('id', '=', '1').execute()
  assert.equal(await settle(due), 1)
  assert.deepEqual(await states(), ['will_block', 'blocked'])
})

test('a device in doubt is blocked at its moment, even when its issue is gone', async () => {
  const [device] = await warned(1)
  assert.ok(device)
  await database.db.updateTable('devices').set({ registration_suspended_at: startOfTests }).execute()
  await database.db.updateTable('issues').set({ resolved_at: startOfTests }).execute()
  assert.equal(await settle(due), 1)
  assert.deepEqual(await states(), ['blocked'])
})

test('a check that was paused a moment ago blocks nobody', async () => {
  await warned(1)
  await database.db.updateTable('check_configurations').set({ paused_at: startOfTests }).execute()
  assert.equal(await settle(due), 1)
  assert.deepEqual(await states(), ['good'])
})

testOnPostgres('processes that sweep at once settle every device once', async () => {
  await warned(30)
  const counts = await Promise.all(Array.from({ length: 6 }, () => settle(due, 3)))
  const rest = await settle(due)
  assert.equal(
    counts.reduce((sum, count) => sum + count, rest),
    30,
  )
  assert.equal((await news()).length, 30)
})

testOnPostgres('a device that someone holds keeps nobody waiting and is settled later', async () => {
  const [held] = await warned(2)
  assert.ok(held)
  const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = transact(database.db, async (tx) => {
    await lockDevice(tx, held.organization_id, held.id)
    locked.resolve()
    await release.promise
  })
  await locked.promise
  try {
    assert.equal(await settle(due), 1)
    assert.deepEqual(await states(), ['will_block', 'blocked'])
  } finally {
    release.resolve()
    await holding
  }
  assert.equal(await settle(due), 1)
  assert.deepEqual(await states(), ['blocked', 'blocked'])
})
