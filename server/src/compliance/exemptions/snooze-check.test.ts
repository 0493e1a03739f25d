import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { type Actor, newChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { settleDueDevices } from '../../inventory/devices/settle-due-devices.ts'
import { snoozeCheck } from './snooze-check.ts'

const database = testDatabase()
const make = makeIn(database)
const hour = (count: number) => plusMs(startOfTests, count * 3_600_000)
const owner: Actor = { type: 'Person', id: '1', name: 'Ada', email: 'ada@acme.example', source: null }

let organizationId: string
let device: Awaited<ReturnType<typeof make.device>>
let check: MadeCheck
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  const ada = await make.person(organizationId)
  device = await make.device(organizationId, { name: 'Mac', registered_owner_id: ada.id })
  check = await make.check(organizationId, {
    name: 'Disk',
    configuration: { remediation_strategy: 'block_immediately' },
  })
})

const snooze = (now: string) => {
  const about = { deviceId: device.id, checkId: check.id }
  return transact(database.db, (tx) => snoozeCheck(tx, about, newChange(owner, organizationId, now)))
}
const refusal = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code
const stateNow = () =>
  database.db.selectFrom('devices').select(['auth_state', 'will_block_at']).executeTakeFirstOrThrow()
const blocksAt = async () =>
  (await database.db.selectFrom('issues').select('blocks_device_at').orderBy('id').execute()).map(
    (row) => row.blocks_device_at,
  )

test('a snooze puts the issues of a check off for 24 hours, also where they block, and then they block again', async () => {
  await make.issue({ device, check, at: hour(1) })
  assert.deepEqual(await stateNow(), { auth_state: 'blocked', will_block_at: null })
  assert.equal(await snooze(hour(2)), hour(26))
  assert.deepEqual(await stateNow(), { auth_state: 'will_block', will_block_at: hour(26) })
  assert.deepEqual(await blocksAt(), [hour(26)])
  const [entry] = await database.db.selectFrom('audit_logs').select(['actor_type', 'description']).execute()
  assert.deepEqual(entry, {
    actor_type: 'Person',
    description: `Snoozed the check "Disk" on the device "Mac" until ${hour(26)}.`,
  })
  await settleDueDevices(database.db, () => contextAt(hour(26)))
  assert.deepEqual(await stateNow(), { auth_state: 'blocked', will_block_at: null })
})

test('an issue that opens during a snooze is put off as well', async () => {
  await make.issue({ device, check, at: hour(1) })
  await snooze(hour(2))
  await make.result({ device, check, rows: 'PASS', at: hour(3) })
  await make.issue({ device, check, at: hour(4) })
  assert.deepEqual((await blocksAt()).at(-1), hour(26))
})

test('a check is snoozed once in seven days on a device', async () => {
  await make.issue({ device, check, at: hour(1) })
  await snooze(hour(2))
  const before = await rowVersions(database.db)
  for (const now of [hour(2), hour(30), plusMs(hour(2 + 7 * 24), -1)]) {
    await assert.rejects(snooze(now), refusal('already_snoozed'))
  }
  assert.deepEqual(await rowVersions(database.db), before)
  assert.equal(await snooze(hour(2 + 7 * 24)), hour(26 + 7 * 24))
})

test('a snooze is refused where the check forbids it, where nothing is wrong, and for what is not there', async () => {
  await assert.rejects(snooze(hour(1)), refusal('invalid'))
  await make.issue({ device, check, at: hour(1) })
  await database.db.updateTable('check_configurations').set({ snooze_disallowed: true }).execute()
  await assert.rejects(snooze(hour(2)), refusal('snooze_disallowed'))
  const elsewhere = { deviceId: device.id, checkId: '900000000000000001' }
  await assert.rejects(
    transact(database.db, (tx) => snoozeCheck(tx, elsewhere, newChange(owner, organizationId, hour(2)))),
    refusal('not_found'),
  )
})
