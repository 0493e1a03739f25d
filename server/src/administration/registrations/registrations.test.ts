import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { type Actor, newChange, systemChange } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { registerDevice } from './register-device.ts'
import { confirmRegistration, suspendRegistration } from './suspend-registration.ts'
import { unregisterDevice } from './unregister-device.ts'

const database = testDatabase()
const make = makeIn(database)
const day = (count: number) => plusMs(startOfTests, count * 86_400_000)
const administrator: Actor = {
  type: 'User',
  id: '1',
  name: 'Grace Hopper',
  email: 'grace@acme.example',
  source: null,
}

let organizationId: string
let ada: Awaited<ReturnType<typeof make.person>>
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
  ada = await make.person(organizationId, { name: 'Ada Lovelace', email: 'ada@acme.example' })
})

const within = <T>(work: (tx: Tx) => Promise<T>) => transact(database.db, work)
const register = (deviceId: string, personId: string, now: string) =>
  within((tx) => registerDevice(tx, { deviceId, personId }, newChange(administrator, organizationId, now)))
const unregister = (deviceId: string, now: string, actor = administrator) =>
  within((tx) => unregisterDevice(tx, { deviceId }, newChange(actor, organizationId, now)))
const confirm = (deviceId: string, now: string) =>
  within((tx) => confirmRegistration(tx, { deviceId }, newChange(administrator, organizationId, now)))
const suspend = (deviceId: string, now: string) =>
  within(async (tx) => {
    const device = orNotFound(await lockDevice(tx, organizationId, deviceId))
    await suspendRegistration(
      tx,
      device,
      'someone else’s agent enrolled as this device',
      systemChange(organizationId, now),
    )
  })

const deviceOf = (id: string) =>
  database.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const stateOf = async (id: string) => {
  const { auth_state, will_block_at, signalled_status } = await deviceOf(id)
  return { auth_state, will_block_at, signalled_status }
}
const trustOf = async (id: string) =>
  (await database.db.selectFrom('people').select('has_used_first_trust').where('id', '=', id).executeTakeFirstOrThrow())
    .has_used_first_trust
const news = async () =>
  (await database.db.selectFrom('events').select(['type', 'data']).orderBy('id').execute()).map(({ type, data }) => ({
    type,
    ...data,
  }))
const sentences = async () =>
  (await database.db.selectFrom('audit_logs').select('description').orderBy('id').execute()).map(
    (row) => row.description,
  )

async function failing(
  strategy: 'warn_then_block' | 'block_immediately',
  columns: Parameters<typeof make.device>[1] = {},
) {
  const device = await make.device(organizationId, { name: 'Mac 1', ...columns })
  const check = await make.check(organizationId, { configuration: { remediation_strategy: strategy } })
  await make.result({ device, check, rows: 'FAIL', at: startOfTests })
  return { device, check }
}

test('registering counts the grace of open issues from now, uses the first trust and is told', async () => {
  const { device } = await failing('warn_then_block')
  assert.deepEqual(await stateOf(device.id), { auth_state: 'good', will_block_at: null, signalled_status: null })
  await database.db.deleteFrom('events').execute()
  await register(device.id, ada.id, day(10))
  const stored = await deviceOf(device.id)
  assert.deepEqual([stored.registered_owner_id, stored.registered_at], [ada.id, day(10)])
  assert.deepEqual(await stateOf(device.id), {
    auth_state: 'will_block',
    will_block_at: day(17),
    signalled_status: null,
  })
  assert.equal(await trustOf(ada.id), true)
  assert.deepEqual(await news(), [
    { type: 'devices.registered', deviceName: 'Mac 1' },
    { type: 'device_trust.status_changed', from: 'good', to: 'will_block', initiator: 'admin' },
  ])
  assert.deepEqual(await sentences(), ['Registered the device "Mac 1" to "Ada Lovelace" (ada@acme.example).'])
})

test('registering a device to its owner again writes nothing, so nobody gains time by it', async () => {
  const { device } = await failing('warn_then_block')
  await register(device.id, ada.id, day(1))
  const versions = await rowVersions(database.db)
  await register(device.id, ada.id, day(5))
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('registering a device to someone else ends what its owner had', async () => {
  const { device } = await failing('block_immediately')
  const bob = await make.person(organizationId)
  const group = await make.personGroup(organizationId)
  await register(device.id, ada.id, day(1))
  await database.db
    .updateTable('devices')
    .set({ authentication_mode: 'only_registered_owner_or_group_members' })
    .execute()
  await database.db
    .insertInto('device_authentication_groups')
    .values({ organization_id: organizationId, device_id: device.id, person_group_id: group.id })
    .execute()
  await register(device.id, bob.id, day(2))
  const stored = await deviceOf(device.id)
  assert.deepEqual(
    [stored.registered_owner_id, stored.registered_at, stored.authentication_mode],
    [bob.id, day(2), 'only_registered_owner'],
  )
  assert.deepEqual(await database.db.selectFrom('device_authentication_groups').selectAll().execute(), [])
  assert.deepEqual([await trustOf(ada.id), await trustOf(bob.id)], [false, true])
})

test('a person who is not, or no longer, in the organization gets no device', async () => {
  const { device } = await failing('warn_then_block')
  const gone = await make.person(organizationId, { deprovisioned_at: startOfTests })
  const foreign = await make.person((await make.organization()).id)
  const versions = await rowVersions(database.db)
  for (const personId of [gone.id, foreign.id, '999']) {
    await assert.rejects(register(device.id, personId, day(1)), { code: 'not_found' })
  }
  await assert.rejects(register('999', ada.id, day(1)), { code: 'not_found' })
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('unregistering answers what it ended and says nothing about compliance', async () => {
  const { device } = await failing('block_immediately')
  await register(device.id, ada.id, day(1))
  await database.db.deleteFrom('events').execute()
  assert.deepEqual(await unregister(device.id, day(2)), {
    device_id: device.id,
    device_name: 'Mac 1',
    registered_at: day(1),
    registered_owner_id: ada.id,
  })
  assert.deepEqual(await stateOf(device.id), {
    auth_state: 'good',
    will_block_at: null,
    signalled_status: 'not-compliant',
  })
  assert.deepEqual(await news(), [
    { type: 'device_trust.status_changed', from: 'blocked', to: 'good', initiator: 'admin' },
  ])
  assert.equal((await sentences()).at(-1), 'Ended the registration of the device "Mac 1" to "Ada Lovelace".')
  const issue = await database.db.selectFrom('issues').select(['resolved_at', 'blocks_device_at']).execute()
  assert.deepEqual(issue, [{ resolved_at: null, blocks_device_at: null }])
})

test('compliance is signalled again from the next registration on, against what was last signalled', async () => {
  const { device, check } = await failing('block_immediately')
  await register(device.id, ada.id, day(1))
  await unregister(device.id, day(2))
  await make.result({ device, check, rows: 'PASS', at: day(3) })
  await database.db.deleteFrom('events').execute()
  await register(device.id, ada.id, day(4))
  assert.deepEqual((await news()).at(-1), {
    type: 'device_trust.status_changed',
    from: 'good',
    to: 'good',
    initiator: 'admin',
    compliance: { previous: 'not-compliant', current: 'compliant' },
  })
  assert.equal((await stateOf(device.id)).signalled_status, 'compliant')
})

const trust: [string, Actor['type'], boolean, boolean][] = [
  ['an administrator ends the only registration', 'User', false, false],
  ['a key ends the only registration', 'ApiKey', false, false],
  ['the person ends their only registration', 'Person', false, true],
  ['an administrator ends one of two registrations', 'User', true, true],
]
for (const [what, type, hasOther, stays] of trust) {
  test(`when ${what}, the trust on first use is ${stays ? 'used still' : 'reset'}`, async () => {
    const device = await make.device(organizationId)
    await register(device.id, ada.id, day(1))
    if (hasOther) await make.device(organizationId, { registered_owner_id: ada.id })
    await unregister(device.id, day(2), { ...administrator, type })
    assert.equal(await trustOf(ada.id), stays)
  })
}

test('a device of nobody cannot be unregistered', async () => {
  const device = await make.device(organizationId)
  await assert.rejects(unregister(device.id, day(1)), { code: 'device_not_registered' })
  await assert.rejects(unregister('999', day(1)), { code: 'not_found' })
})

for (const device_type of ['iOS', 'Android'] as const) {
  test(`a device of type ${device_type} goes with its registration`, async () => {
    const device = await make.device(organizationId, { name: 'Phone', device_type, form_factor: 'phone' })
    await register(device.id, ada.id, day(1))
    await unregister(device.id, day(2))
    assert.equal((await deviceOf(device.id)).deleted_at, day(2))
    assert.equal(await trustOf(ada.id), false)
    assert.equal(
      (await sentences()).at(-1),
      'Ended the registration of the device "Phone" to "Ada Lovelace" and deleted the device.',
    )
  })
}

test('while a registration is suspended the state may become worse, never better, until it is confirmed', async () => {
  const { device, check } = await failing('warn_then_block', { registered_owner_id: ada.id })
  const strict = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  await suspend(device.id, day(1))
  await make.result({ device, check, rows: 'PASS', at: day(2) })
  assert.equal((await stateOf(device.id)).auth_state, 'will_block')
  await make.result({ device, check: strict, rows: 'FAIL', at: day(3) })
  await make.result({ device, check: strict, rows: 'PASS', at: day(4) })
  assert.equal((await stateOf(device.id)).auth_state, 'blocked')
  const versions = await rowVersions(database.db)
  await suspend(device.id, day(5))
  assert.deepEqual(await rowVersions(database.db), versions, 'suspending again writes nothing')
  await confirm(device.id, day(6))
  assert.deepEqual(await stateOf(device.id), { auth_state: 'good', will_block_at: null, signalled_status: 'compliant' })
  const after = await rowVersions(database.db)
  await confirm(device.id, day(7))
  assert.deepEqual(await rowVersions(database.db), after, 'confirming again writes nothing')
  assert.deepEqual(await sentences(), [
    'Suspended the registration of the device "Mac 1": someone else’s agent enrolled as this device.',
    'Confirmed the registration of the device "Mac 1".',
  ])
})

test('a command that fails at its audit entry leaves nothing of it', async () => {
  const { device } = await failing('block_immediately')
  const versions = await rowVersions(database.db)
  await sql`alter table audit_logs add constraint refuses check (description not like 'Registered%')`.execute(
    database.db,
  )
  try {
    await assert.rejects(register(device.id, ada.id, day(1)), /refuses/)
  } finally {
    await sql`alter table audit_logs drop constraint refuses`.execute(database.db)
  }
  assert.deepEqual(await rowVersions(database.db), versions)
})
