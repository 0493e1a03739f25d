import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { previewConfiguration } from '../../checks/configuration/preview-configuration.ts'
import { savePreviewedConfiguration } from '../../checks/configuration/save-previewed-configuration.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { lockDevices } from '../../inventory/devices/lock-device.ts'
import { settleAuthStates } from '../../inventory/devices/settle-auth-state.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import { beginAuthLog } from '../../sign-in/auth-logs/begin-auth-log.ts'
import { showIssues } from '../../sign-in/auth-logs/show-issues.ts'
import { holdEarlierBlocks } from '../issues/hold-earlier-blocks.ts'
import { discardHold, releaseHold } from '../targeting/decide-hold.ts'
import { endFixedHolds } from '../targeting/end-fixed-holds.ts'
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

/** Registered devices of as many people, or of so few by turns. */
async function enroll(count: number, people = count): Promise<void> {
  const owners: string[] = []
  for (let number = 0; number < people; number += 1) owners.push((await make.person(organizationId)).id)
  for (let number = 0; number < count; number += 1) {
    devices.push(await make.device(organizationId, { registered_owner_id: owners[number % people] ?? null }))
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

const previewOf = (request: CheckConfigurationRequest, now: string) =>
  previewConfiguration(database.db, { organizationId, checkId: check.id, request }, { now, most: 0 })

const recompute = (now: string) =>
  recomputeCheck(database.db, { organizationId, checkId: check.id }, () => contextAt(now), new AbortController().signal)

const holds = () =>
  database.db.selectFrom('block_holds').select(['id', 'owner_limit', 'decision', 'decided_by']).orderBy('id').execute()

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
  await holdEarlier(minute(1))
  await recompute(minute(1))
  assert.deepEqual(await states(), Array(13).fill('good'))
  assert.equal(await news(), 0)
  assert.deepEqual(await holds(), [{ id: await openHold(), owner_limit: 10, decision: null, decided_by: null }])
  const { description, actor_type } = await database.db
    .selectFrom('audit_logs')
    .select(['description', 'actor_type'])
    .where('action', '=', 'check.blocks_held')
    .executeTakeFirstOrThrow()
  assert.equal(actor_type, 'System')
  assert.match(description, /the devices of more than 10 people within an hour/)
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
  assert.equal(await count('good'), 14, 'each stands as it did before the failure')
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
    ['ended'],
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

test('the devices of one person count once: nobody has a block held by failing with many', async () => {
  await configure(blocking, minute(0))
  await enroll(2)
  await reportAll([0, 1], 'FAIL', minute(1))
  await enroll(12, 1)
  await reportAll(upTo(14, 2), 'FAIL', minute(2))
  await enroll(10, 5)
  await reportAll(upTo(24, 14), 'FAIL', minute(3))
  await holdEarlier(minute(4))
  assert.deepEqual([await count('blocked'), await holds()], [24, []])
  await enroll(3)
  await reportAll(upTo(27, 24), 'FAIL', minute(5))
  assert.equal((await holds()).length, 1, 'eleven people are too many')
})

test('the same devices, blocked again within the hour, are counted once, as the preview says', async () => {
  await enroll(12)
  await reportAll(upTo(8), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  await configure({ remediation_strategy: 'report_only' }, minute(20))
  await reportAll([8], 'FAIL', minute(21))
  const preview = await previewOf(blocking, minute(30))
  assert.deepEqual([preview.blockedNow, preview.held], [9, null])
  await configure(blocking, minute(30))
  assert.equal(await count('blocked'), 9)
})

test('released and blocked again within the hour, everything is blocked, as the preview says', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  const holdId = await openHold()
  await transact(database.db, (tx) => releaseHold(tx, holdId, systemChange(organizationId, minute(2))))
  await recompute(minute(2))
  await configure({ remediation_strategy: 'report_only' }, minute(3))
  assert.equal(await count('blocked'), 0)
  const preview = await previewOf(blocking, minute(4))
  assert.deepEqual([preview.blockedNow, preview.held], [12, null])
  await configure(blocking, minute(4))
  assert.equal(await count('blocked'), 12)
})

test('a hold that a preview promised begins with the change, before any device is decided again', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  const unsaved = { organizationId, checkId: check.id, request: blocking }
  const preview = await previewOf(blocking, minute(1))
  assert.deepEqual(preview.held, { devices: 12, people: 12, limit: 10, takenBack: 0 })
  await transact(database.db, (tx) =>
    savePreviewedConfiguration(tx, { ...unsaved, token: preview.token }, systemChange(organizationId, minute(1))),
  )
  assert.equal((await holds()).length, 1)
  await recompute(minute(2))
  assert.equal(await count('good'), 12)
})

test('a save whose numbers have changed is refused with each of them', async () => {
  await enroll(12)
  await reportAll(upTo(9), 'FAIL', minute(0))
  const unsaved = { organizationId, checkId: check.id, request: blocking }
  const { token } = await previewOf(blocking, minute(1))
  await reportAll(upTo(12, 9), 'FAIL', minute(2))
  const saving = transact(database.db, (tx) =>
    savePreviewedConfiguration(tx, { ...unsaved, token }, systemChange(organizationId, minute(3))),
  )
  await assert.rejects(saving, {
    code: 'preview_outdated',
    message: '9 blocked at once became 0, 0 held became 12; look again.',
  })
  assert.deepEqual(await holds(), [])
})

test('a block that someone has met at a sign-in is not taken back', async () => {
  await enroll(12)
  await configure(blocking, minute(0))
  await reportAll(upTo(10), 'FAIL', minute(1))
  await meetBlock(0, minute(2))
  const preview = await previewOf({ blocking_excluded_groups: [] }, minute(3))
  assert.equal(preview.blockedNow, 10)
  await report(10, 'FAIL', minute(3))
  await holdEarlier(minute(4))
  assert.deepEqual(await states(), ['blocked', ...Array(11).fill('good')])
  const { taken_back: takenBack } = await database.db
    .selectFrom('block_holds')
    .select('taken_back')
    .executeTakeFirstOrThrow()
  assert.equal(takenBack, 9)
})

/** As a sign-in notes that it showed the issue that blocks the device. */
async function meetBlock(place: number, now: string): Promise<void> {
  const device = devices[place] as MadeDevice
  const { id: issueId } = await database.db
    .selectFrom('issues')
    .select('id')
    .where('device_id', '=', device.id)
    .executeTakeFirstOrThrow()
  const person = { id: device.registered_owner_id ?? '', name: 'Ada', email: 'ada@acme.test' }
  await transact(database.db, async (tx) => {
    const authLogId = await beginAuthLog(tx, {
      ...{ organizationId, person, now, ipAddress: '192.0.2.1' },
      device: { id: device.id, name: 'Laptop', agent_version: null, auth_state: 'blocked' },
      browser: { name: 'Firefox', version: '1', userAgent: 'Firefox' },
    })
    assert.ok(await showIssues(tx, { organizationId, authLogId, issueIds: [issueId], now }))
  })
}

test('a held device stands as before the failure, whatever else it failed and fixed', async () => {
  await enroll(13)
  const other = await make.check(organizationId, { configuration: { remediation_strategy: 'notify_only' } })
  const [first, second] = devices as [MadeDevice, MadeDevice]
  await make.result({ device: first, check: other, rows: 'FAIL', at: minute(0) })
  await configure(blocking, minute(1))
  await reportAll(upTo(13), 'FAIL', minute(2))
  await holdEarlier(minute(3))
  assert.deepEqual((await states()).slice(0, 2), ['notified', 'good'])
  await make.result({ device: first, check: other, rows: 'PASS', at: minute(4) })
  await make.result({ device: second, check: other, rows: 'FAIL', at: minute(4) })
  assert.deepEqual((await states()).slice(0, 2), ['good', 'notified'])
  await make.result({ device: second, check: other, rows: 'PASS', at: minute(5) })
  assert.equal(await count('good'), 13)
})

test('until a change has reached a device, whoever settles it signals nothing of the change', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  const save = (request: CheckConfigurationRequest, now: string) =>
    transact(database.db, (tx) =>
      updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, now)),
    )
  const settleAll = (now: string) =>
    transact(database.db, async (tx) => {
      const ids = devices.map(({ id }) => id)
      await settleAuthStates(tx, await lockDevices(tx, organizationId, ids), contextAt(now))
    })
  await save(blocking, minute(1))
  await settleAll(minute(2))
  await recompute(minute(3))
  assert.deepEqual([await count('good'), await news()], [12, 0])
  await save({ remediation_strategy: 'report_only' }, minute(4))
  await recompute(minute(5))
  await save({ remediation_strategy: 'notify_only' }, minute(6))
  await settleAll(minute(7))
  assert.equal(await count('good'), 12)
  await recompute(minute(8))
  assert.equal(await count('notified'), 12)
})

test('owners who were told of a failure before its block was held stay Notified', async () => {
  await enroll(12)
  await configure({ remediation_strategy: 'notify_only' }, minute(0))
  await reportAll(upTo(12), 'FAIL', minute(1))
  assert.equal(await count('notified'), 12)
  const before = await news()
  await configure(blocking, minute(2))
  assert.deepEqual([await count('notified'), await news()], [12, before])
  await configure({ remediation_strategy: 'report_only' }, minute(3))
  assert.equal(await count('good'), 12)
})

test('a hold whose devices are all fixed or exempted ends by itself, and not before it has reached them', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await transact(database.db, (tx) =>
    updateConfiguration(tx, { checkId: check.id, request: blocking }, systemChange(organizationId, minute(1))),
  )
  const end = (at: string) => endFixedHolds(database.db, () => contextAt(at))
  assert.equal(await end(minute(1)), 0, 'its issues have yet to come under it')
  await recompute(minute(1))
  await holdEarlier(minute(1))
  await reportAll(upTo(11), 'PASS', minute(2))
  assert.equal(await end(minute(3)), 0)
  await report(11, 'PASS', minute(4))
  const holdId = await openHold()
  assert.deepEqual([await end(minute(5)), await end(minute(5))], [1, 0])
  assert.equal((await holds())[0]?.decision, 'ended')
  const { description } = await database.db
    .selectFrom('audit_logs')
    .select('description')
    .where('action', '=', 'check.hold_ended')
    .executeTakeFirstOrThrow()
  assert.match(description, /Ended the hold of the check "The firewall is on"/)
  for (const decide of [releaseHold, discardHold]) {
    const deciding = transact(database.db, (tx) => decide(tx, holdId, systemChange(organizationId, minute(6))))
    await assert.rejects(deciding, { code: 'invalid' })
  }
  await report(0, 'FAIL', minute(7))
  assert.equal(await count('blocked'), 1, 'what fails now is counted again')
})

test('a check that ceases to block for a moment holds what it blocks then by its own count', async () => {
  await enroll(12)
  await reportAll(upTo(12), 'FAIL', minute(0))
  await configure(blocking, minute(1))
  const holdId = await openHold()
  await transact(database.db, (tx) => discardHold(tx, holdId, systemChange(organizationId, minute(2))))
  // Before the devices are decided again.
  for (const request of [{ paused: true }, { paused: false }]) {
    await transact(database.db, (tx) =>
      updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, minute(3))),
    )
  }
  await recompute(minute(4))
  assert.deepEqual(
    (await holds()).map(({ decision }) => decision),
    ['ended', null],
  )
  assert.equal(await count('good'), 12)
})

testOnPostgres('devices that fail at the same time in several processes are counted by one', async () => {
  await enroll(24)
  await configure(blocking, minute(0))
  await Promise.all(upTo(24).map((place) => report(place, 'FAIL', minute(1))))
  await holdEarlier(minute(2))
  assert.equal(await count('blocked'), 0)
  assert.equal((await holds()).length, 1)
})
