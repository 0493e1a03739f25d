import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testDatabase } from '../../../test/support/database.ts'
import { contextAt, makeIn, startOfTests } from '../../../test/support/make.ts'
import { type Actor, newChange, systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { deleteDevice } from './delete-device.ts'
import { deprovisionPerson } from './deprovision-person.ts'
import { purgeDevices } from './purge-devices.ts'
import { restoreDevice } from './restore-device.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const actor: Actor = { type: 'User', id: '1', name: 'Grace Hopper', email: 'grace@acme.example', source: null }

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

const remove = (deviceId: string, now = minute(1)) =>
  transact(database.db, (tx) => deleteDevice(tx, { deviceId }, newChange(actor, organizationId, now)))
const restore = (deviceId: string, now = minute(2)) =>
  transact(database.db, (tx) => restoreDevice(tx, { deviceId }, newChange(actor, organizationId, now)))

async function fleet() {
  const owner = await make.person(organizationId, { has_used_first_trust: true })
  const group = await make.deviceGroup(organizationId)
  const device = await make.device(organizationId, {
    name: 'Mac 1',
    registered_owner_id: owner.id,
    groupIds: [group.id],
  })
  const other = await make.device(organizationId, { groupIds: [group.id] })
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'warn_then_block' } })
  const passed = await make.check(organizationId)
  await make.result({ device, check, rows: 'FAIL' })
  await make.result({ device, check: passed, rows: 'PASS' })
  await make.result({ device: other, check: passed, rows: 'PASS' })
  return { owner, group, device, other, check, passed }
}

async function counts() {
  const tallies = await database.db
    .selectFrom('check_tallies')
    .select((row) => [
      'check_id',
      row.fn.sum<string>('counted').as('counted'),
      row.fn.sum<string>('passing').as('passing'),
    ])
    .groupBy('check_id')
    .orderBy('check_id')
    .execute()
  const groups = await database.db.selectFrom('device_groups').select('members_count').orderBy('id').execute()
  const people = await database.db.selectFrom('people').select('has_used_first_trust').orderBy('id').execute()
  return {
    tallies: tallies.map((tally) => [tally.counted, tally.passing]),
    members: groups.map((group) => group.members_count),
    trust: people.map((person) => person.has_used_first_trust),
  }
}

const everything = async () => ({
  devices: await database.db.selectFrom('devices').selectAll().orderBy('id').execute(),
  results: await database.db.selectFrom('check_results').selectAll().orderBy('device_id').orderBy('check_id').execute(),
  issues: await database.db.selectFrom('issues').selectAll().orderBy('id').execute(),
  members: await database.db.selectFrom('device_group_members').selectAll().orderBy('device_id').execute(),
  events: await database.db.selectFrom('events').selectAll().orderBy('id').execute(),
  counts: await counts(),
})

test('a deleted device is out of all counts, and restoring it brings everything back', async () => {
  const { device } = await fleet()
  const before = await everything()
  assert.deepEqual(before.counts, {
    tallies: [
      ['2', '0'],
      ['2', '2'],
    ],
    members: [2],
    trust: [true],
  })
  await remove(device.id)
  assert.deepEqual(await counts(), {
    tallies: [
      ['1', '0'],
      ['1', '1'],
    ],
    members: [1],
    trust: [false],
  })
  assert.deepEqual((await everything()).events, before.events, 'nothing is said about compliance')
  await restore(device.id)
  assert.deepEqual(await everything(), before)
  const notices = await database.db
    .selectFrom('agent_notices')
    .select(['device_id', 'created_at'])
    .where('created_at', '>', startOfTests)
    .orderBy('id')
    .execute()
  assert.deepEqual(notices, [
    { device_id: device.id, created_at: minute(1) },
    { device_id: device.id, created_at: minute(2) },
  ])
  const audit = await database.db.selectFrom('audit_logs').select(['actor_name', 'description']).orderBy('id').execute()
  assert.deepEqual(audit, [
    { actor_name: 'Grace Hopper', description: 'Deleted the device "Mac 1".' },
    { actor_name: 'Grace Hopper', description: 'Restored the deleted device "Mac 1".' },
  ])
})

test('what is deleted cannot be deleted again, and what is not cannot be restored', async () => {
  const { device } = await fleet()
  await assert.rejects(restore(device.id), { code: 'not_found' })
  await remove(device.id)
  await assert.rejects(remove(device.id), { code: 'not_found' })
  const { id: stranger } = await make.organization()
  const foreign = { deviceId: device.id }
  await assert.rejects(
    transact(database.db, (tx) => restoreDevice(tx, foreign, newChange(actor, stranger, minute(2)))),
    { code: 'not_found' },
  )
})

test('a restored device is judged by what was configured while it was gone', async () => {
  const definitions = { level: { kind: 'integer', title: 'L', description: 'L', default: 1, min: 0, max: 9 } }
  const { device, check, passed } = await fleet()
  const optional = await make.check(organizationId, { option_definitions: JSON.stringify(definitions) })
  await make.result({ device, check: optional, rows: 'PASS' })
  await remove(device.id)
  const configure = (checkId: string, request: object) =>
    transact(database.db, (tx) =>
      updateConfiguration(tx, { checkId, request }, systemChange(organizationId, minute(2))),
    )
  await configure(check.id, { remediation_strategy: 'block_immediately' })
  await configure(passed.id, { excluded_groups: ['macos'] })
  await configure(optional.id, { options: { level: 2 } })
  await restore(device.id, minute(3))
  const { devices, results } = await everything()
  assert.equal(devices.find((row) => row.id === device.id)?.auth_state, 'blocked')
  assert.deepEqual(
    results.filter((row) => row.device_id === device.id).map((row) => [row.check_id, row.status]),
    [
      [check.id, 'failing'],
      [optional.id, 'stale'],
    ],
  )
})

test('a device comes back without an owner who was deprovisioned meanwhile', async () => {
  const { device, owner } = await fleet()
  await remove(device.id)
  await transact(database.db, (tx) =>
    deprovisionPerson(tx, { personId: owner.id }, newChange(actor, organizationId, minute(2))),
  )
  await restore(device.id, minute(3))
  const restored = (await everything()).devices.find((row) => row.id === device.id)
  assert.deepEqual([restored?.registered_owner_id, restored?.auth_state], [null, 'good'])
})

test('purging takes all that hangs on a device, leaves the others, and announces it', async () => {
  const { device, other } = await fleet()
  await database.db
    .insertInto('node_key_lookups')
    .values({ lookup_hash: Buffer.from('hash'), organization_id: organizationId, device_id: device.id })
    .execute()
  await remove(device.id, minute(1))
  const before = await counts()
  assert.equal(await purgeDevices(database.db, minute(1), contextAt(minute(3))), 0, 'its time has not come')
  await database.db.deleteFrom('events').execute()
  assert.equal(await purgeDevices(database.db, plusMs(minute(1), 1), contextAt(minute(3))), 1)
  const { devices, results, issues, members, events } = await everything()
  for (const rows of [results, members]) assert.deepEqual([...new Set(rows.map((row) => row.device_id))], [other.id])
  assert.deepEqual([devices.map(({ id }) => id), issues], [[other.id], []])
  assert.deepEqual(await database.db.selectFrom('node_key_lookups').selectAll().execute(), [])
  assert.deepEqual(
    events.map(({ type, device_id, data }) => ({ type, device_id, data })),
    [{ type: 'devices.destroyed', device_id: device.id, data: { deviceName: 'Mac 1' } }],
  )
  assert.deepEqual(await counts(), before)
  await assert.rejects(restore(device.id), { code: 'not_found' })
})

test('purging continues through more devices than a batch holds', async () => {
  for (let made = 0; made < 51; made += 1) await make.device(organizationId, { deleted_at: startOfTests })
  await make.device((await make.organization()).id, { deleted_at: startOfTests })
  assert.equal(await purgeDevices(database.db, minute(1), contextAt(minute(2))), 52)
  assert.equal((await everything()).events.length, 52)
})
