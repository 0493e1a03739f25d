import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import { holdEarlierBlocks } from '../issues/hold-earlier-blocks.ts'
import { discardHold, releaseHold } from '../targeting/decide-hold.ts'
import { holdAhead } from '../targeting/hold-ahead.ts'
import { recomputeCheck } from '../targeting/recompute-check.ts'

const database = testDatabase()
const make = makeIn(database)
type MadeDevice = Awaited<ReturnType<typeof make.device>>
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const blocking = { remediation_strategy: 'block_immediately' } as const

let organizationId: string
let check: MadeCheck
let devices: MadeDevice[]
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  check = await make.check(organizationId, { name: 'The firewall is on' })
  devices = []
})

/** Registered devices of as many people. */
async function enroll(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const owner = await make.person(organizationId)
    devices.push(await make.device(organizationId, { registered_owner_id: owner.id }))
  }
}

const report = (place: number, rows: 'FAIL' | 'PASS', at: string) =>
  make.result({ device: devices[place] as MadeDevice, check, rows, at })

async function reportAll(places: readonly number[], rows: 'FAIL' | 'PASS', at: string): Promise<void> {
  for (const place of places) await report(place, rows, at)
}

const upTo = (end: number, begin = 0) => Array.from({ length: end - begin }, (_, place) => begin + place)

async function configure(request: CheckConfigurationRequest, now: string): Promise<void> {
  await transact(database.db, (tx) =>
    updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, now)),
  )
  await recompute(now)
}

const recompute = (now: string) =>
  recomputeCheck(database.db, { organizationId, checkId: check.id }, () => contextAt(now), new AbortController().signal)

const holds = () =>
  database.db.selectFrom('block_holds').select(['id', 'device_limit', 'decision', 'decided_by']).orderBy('id').execute()

async function holdEarlier(now: string): Promise<void> {
  for (const { id } of await holds()) {
    await holdEarlierBlocks(database.db, { organizationId, holdId: id }, contextAt(now))
  }
}

const states = async () =>
  (await database.db.selectFrom('devices').select('auth_state').orderBy('id').execute()).map((row) => row.auth_state)

const count = async (state: string) => (await states()).filter((one) => one === state).length

const news = async () => {
  const rows = await database.db
    .selectFrom('events')
    .select('device_id')
    .where('type', '=', 'device_trust.status_changed')
    .execute()
  return rows.length
}

const openHold = async (): Promise<string> => {
  const open = (await holds()).filter(({ decision }) => decision === null)
  assert.equal(open.length, 1)
  return open[0]?.id ?? ''
}

test('a change of configuration that would block more devices than the limit blocks none, and signals nothing', async () => {
  await enroll(13)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await transact(database.db, (tx) =>
    updateConfiguration(tx, { checkId: check.id, request: blocking }, systemChange(organizationId, minute(1))),
  )
  await transact(database.db, (tx) => holdAhead(tx, { organizationId, checkId: check.id }, contextAt(minute(1))))
  await holdEarlier(minute(1))
  await recompute(minute(1))
  assert.deepEqual(await states(), Array(13).fill('good'))
  assert.equal(await news(), 0)
  assert.deepEqual(await holds(), [{ id: await openHold(), device_limit: 10, decision: null, decided_by: null }])
  const { action, description, actor_type } = await database.db
    .selectFrom('audit_logs')
    .select(['action', 'description', 'actor_type'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  assert.deepEqual([action, actor_type], ['check.blocks_held', 'System'])
  assert.match(description, /more than 10 devices within an hour/)
})

test('as many devices as the limit are blocked', async () => {
  await enroll(13)
  await reportAll(upTo(10), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  assert.equal(await count('blocked'), 10)
  assert.deepEqual(await holds(), [])
})

test('once a check blocks too many devices one after another, those of the hour before are let in again', async () => {
  await enroll(14)
  await configure(blocking, minute(0))
  await reportAll(upTo(10), 'FAIL', minute(1))
  assert.equal(await count('blocked'), 10)
  await report(10, 'FAIL', minute(59))
  assert.deepEqual((await states()).slice(10), ['good', 'good', 'good', 'good'])
  await holdEarlier(minute(60))
  assert.equal(await count('blocked'), 0)
  assert.equal(await count('notified'), 10, 'what was signaled is taken back, and the owners are still told')
  await report(11, 'FAIL', minute(120))
  assert.equal(await count('blocked'), 0, 'a hold stands until someone decides')
  assert.equal((await holds()).length, 1)
})

test('blocks that come slowly take effect', async () => {
  await enroll(12)
  await configure(blocking, minute(0))
  for (const place of upTo(12)) await report(place, 'FAIL', minute(1 + 7 * place))
  assert.equal(await count('blocked'), 12)
  assert.deepEqual(await holds(), [])
})

test('deadlines that were announced are reached', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure({ remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 1 }, minute(1))
  assert.equal(await count('will_block'), 12)
  await settleDueDevices(database.db, () => contextAt(minute(1 + 24 * 60)))
  assert.equal(await count('blocked'), 12)
  assert.deepEqual(await holds(), [])
})

test('a deadline that moves to now keeps the day that was announced', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure({ remediation_strategy: 'warn_then_block', block_auth_grace_period_days: 2 }, minute(1))
  await configure(blocking, minute(2))
  assert.equal(await count('will_block'), 12)
  await settleDueDevices(database.db, () => contextAt(minute(2 + 2 * 24 * 60)))
  assert.equal(await count('blocked'), 12)
})

test('released, the blocks take effect from now on, and so do further ones of the day', async () => {
  await enroll(18)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  const holdId = await openHold()
  await transact(database.db, (tx) => releaseHold(tx, holdId, systemChange(organizationId, minute(30))))
  await recompute(minute(31))
  assert.equal(await count('blocked'), 12)
  const since = await database.db.selectFrom('issues').select('blocks_device_at').distinct().execute()
  assert.deepEqual(since, [{ blocks_device_at: minute(31) }])
  await reportAll(upTo(18, 12), 'FAIL', minute(40))
  assert.equal(await count('blocked'), 18)
  assert.equal((await holds()).length, 1)
})

test('discarded, the blocks never take effect, until the check ceases to block or the issue is resolved', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  const holdId = await openHold()
  await transact(database.db, (tx) => discardHold(tx, holdId, systemChange(organizationId, minute(2))))
  await configure({ block_auth_grace_period_days: 3 }, minute(3))
  assert.equal(await count('blocked'), 0)
  await report(0, 'PASS', minute(4))
  await report(0, 'FAIL', minute(5))
  assert.deepEqual((await states()).slice(0, 2), ['blocked', 'good'], 'a failure that comes back is a new one')
  await assert.rejects(
    transact(database.db, (tx) => discardHold(tx, holdId, systemChange(organizationId, minute(6)))),
    { code: 'invalid' },
  )
  await transact(database.db, (tx) => releaseHold(tx, holdId, systemChange(organizationId, minute(7))))
  await recompute(minute(8))
  assert.equal(await count('blocked'), 12, 'what was discarded by mistake is released')
})

test('a check that blocks no more has nothing left to decide', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  await configure({ remediation_strategy: 'report_only' }, minute(2))
  assert.deepEqual(
    (await holds()).map(({ decision }) => decision),
    ['discarded'],
  )
  const held = await database.db.selectFrom('issues').select('id').where('hold_id', 'is not', null).execute()
  assert.deepEqual(held, [])
})

test('the holds of an organization are decided by nobody of another', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  const other = (await make.organization()).id
  const holdId = await openHold()
  await assert.rejects(transact(database.db, (tx) => releaseHold(tx, holdId, systemChange(other, minute(2)))))
  assert.equal(await openHold(), holdId)
})

testOnPostgres('devices that fail at the same time in several processes are counted by one', async () => {
  await enroll(24)
  await configure(blocking, minute(0))
  await Promise.all(upTo(24).map((place) => report(place, 'FAIL', minute(1))))
  await holdEarlier(minute(2))
  assert.equal(await count('blocked'), 0)
  assert.equal((await holds()).length, 1)
})
