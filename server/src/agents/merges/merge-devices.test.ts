import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { restoreDevice } from '../../administration/registrations/restore-device.ts'
import { confirmRegistration } from '../../administration/registrations/suspend-registration.ts'
import { systemChange } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import type { ServiceError } from '../../base/errors.ts'
import { addCompanionKey } from '../companion-keys/add-companion-key.ts'
import { linkCompanion } from '../companion-keys/link-companion.ts'
import { mergeDevices } from './merge-devices.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)
let organizationId: string

beforeEach(async () => {
  await agents.reset()
  organizationId = (await make.organization()).id
})

const merge = (keptId: string, otherId: string, isOneMachine = false) =>
  transact(database.db, (tx) =>
    mergeDevices(
      tx,
      { keptId, otherId, isOneMachine, requirePower: () => {} },
      systemChange(organizationId, { ...contextAt(agents.now()), initiator: 'admin' }.now),
    ),
  )

const within = <Result>(run: (tx: Tx) => Promise<Result>) => transact(database.db, run)
const byAdmin = () => systemChange(organizationId, agents.now())

const deviceOf = (id: string) =>
  database.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const statusesOf = async (id: string) =>
  (await database.db.selectFrom('check_results').select('status').where('device_id', '=', id).execute()).map(
    ({ status }) => status,
  )
/** What is remembered of contacts is written. */
const flush = () => agents.server.agents.flush()

const before = { serial: 'C02XG2JHJG5H', uuid: 'AAAAAAAA-0000-4000-8000-000000000001', hostname: 'ada-old' }
/** The firmware told neither after the machine was installed again. */
const again = { serial: '', uuid: '', hostIdentifier: 'installed-again', hostname: 'ada-new' }

/** A machine that was installed again and enrolled as a second device, an hour after its first agent fell silent. */
async function installedAnew() {
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const old = await agents.enrolled(organizationId, before)
  await old.client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }))
  await flush()
  agents.pass(3_600)
  const fresh = await agents.enrolled(organizationId, again)
  assert.notEqual(fresh.deviceId, old.deviceId)
  await fresh.client.config()
  await flush()
  return { check, old, fresh }
}

test('the agent of the other device continues as the kept one without enrolling again, and its results settle it', async () => {
  const { old, fresh } = await installedAnew()
  const elsewhere = await agents.another()
  const beside = elsewhere.client()
  beside.nodeKey = fresh.client.nodeKey
  assert.ok((await beside.config()).accepted)
  assert.deepEqual(await statusesOf(old.deviceId), ['failing'])
  const { nodeKey } = fresh.client
  await merge(old.deviceId, fresh.deviceId)

  assert.ok((await fresh.client.config()).accepted)
  assert.equal(await fresh.client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] })), 1)
  assert.equal(fresh.client.nodeKey, nodeKey)
  assert.deepEqual(await statusesOf(old.deviceId), ['passing'])
  const issue = await database.db.selectFrom('issues').selectAll().executeTakeFirstOrThrow()
  assert.equal(issue.device_id, old.deviceId)
  assert.notEqual(issue.resolved_at, null)
  elsewhere.agents.context.registry.takeNotice(organizationId, fresh.deviceId)
  assert.ok((await beside.config()).accepted, 'another process that knew the key continues, too')
  await flush()
  const presence = await database.db.selectFrom('device_presence').selectAll().execute()
  assert.equal(presence.find(({ device_id: id }) => id === old.deviceId)?.last_seen_at, agents.now())

  const kept = await deviceOf(old.deviceId)
  assert.deepEqual([kept.name, kept.serial, kept.hardware_uuid], ['ada-new', before.serial, before.uuid])
  assert.equal(
    kept.host_identifier,
    again.hostIdentifier,
    'what enrolls again is compared with the agent that continues',
  )
  assert.notEqual((await deviceOf(fresh.deviceId)).deleted_at, null)
  assert.ok(!(await old.client.config()).accepted, 'the earlier agent is refused')
})

/** A companion of a device, linked. */
async function addCompanion(deviceId: string): Promise<string> {
  const kid = `key-of-${deviceId}`
  const facts = {
    isBundled: false,
    hardwareUuid: null,
    serial: kid,
    hostname: 'x',
    platform: 'linux',
    agentVersion: '1',
  }
  const jwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } as const
  await within(async (tx) => {
    await addCompanionKey(tx, { organizationId, kid, jwk, now: agents.now() }, facts)
    await linkCompanion(tx, { kid, deviceId }, byAdmin())
  })
  return kid
}

test('the companion of the machine that continues speaks for the kept device, and the other one for none', async () => {
  const keys = () => database.db.selectFrom('companion_keys').select(['kid', 'device_id', 'status']).execute()
  for (const isOtherLive of [true, false]) {
    const { old, fresh } = await installedAnew()
    await addCompanion(old.deviceId)
    const kid = await addCompanion(fresh.deviceId)
    const keptId = isOtherLive ? old.deviceId : fresh.deviceId
    await merge(keptId, isOtherLive ? fresh.deviceId : old.deviceId)
    assert.deepEqual(await keys(), [{ kid, device_id: keptId, status: 'linked' }])
    await agents.reset()
    organizationId = (await make.organization()).id
  }
})

test('the next enrollment of the machine is one of the kept device, whatever the machine tells', async () => {
  const { old, fresh } = await installedAnew()
  const machine = { ...before, hostname: 'ada-new' }
  await merge(old.deviceId, fresh.deviceId)
  agents.pass(3_600)
  const secret = await agents.enrollmentSecret(organizationId)
  await fresh.client.enroll(secret, machine)
  const living = await database.db.selectFrom('devices').select('id').where('deleted_at', 'is', null).execute()
  assert.deepEqual(living, [{ id: old.deviceId }])
})

test('where the kept device is the one that reports, its agent continues and the other is refused', async () => {
  const { old, fresh } = await installedAnew()
  await merge(fresh.deviceId, old.deviceId)
  assert.ok((await fresh.client.config()).accepted)
  assert.ok(!(await old.client.config()).accepted)
  const kept = await deviceOf(fresh.deviceId)
  assert.deepEqual([kept.name, kept.serial, kept.hardware_uuid], ['ada-new', before.serial, before.uuid])
  const restoration = { deviceId: old.deviceId }
  await transact(database.db, (tx) => restoreDevice(tx, restoration, systemChange(organizationId, agents.now())))
  assert.ok(!(await old.client.config()).accepted, 'also once its record is restored')
})

test('two live agents with nothing in common are two machines, unless someone knows better', async () => {
  const one = await agents.enrolled(organizationId, before)
  const other = await agents.enrolled(organizationId, again)
  await flush()
  await assert.rejects(merge(one.deviceId, other.deviceId), (error: ServiceError) => {
    assert.match(error.errors?.[0]?.message ?? '', /silent for ten minutes/)
    return error.code === 'invalid'
  })
  assert.equal((await deviceOf(other.deviceId)).deleted_at, null)
  await merge(one.deviceId, other.deviceId, true)
  assert.notEqual((await deviceOf(other.deviceId)).deleted_at, null)
})

test('two live agents with one serial are merged without a word', async () => {
  const one = await make.device(organizationId, { serial: 'SERIAL-1' })
  const other = await make.device(organizationId, { serial: 'SERIAL-1' })
  const seen = [one, other].map(({ id }) => ({
    ...{ organization_id: organizationId, device_id: id, last_seen_at: agents.now() },
  }))
  await database.db.insertInto('device_presence').values(seen).execute()
  await merge(one.id, other.id)
  assert.notEqual((await deviceOf(other.id)).deleted_at, null)
})

test('a registered device that gets the agent of another machine waits for its owner, whichever record stays', async () => {
  const owner = await make.person(organizationId)
  const register = (id: string) => within((tx) => registerDevice(tx, { deviceId: id, personId: owner.id }, byAdmin()))
  const suspended = async (id: string) => {
    const { registered_owner_id: ownerId, registration_suspended_at: since } = await deviceOf(id)
    return [ownerId, since !== null]
  }
  const first = await installedAnew()
  await register(first.old.deviceId)
  await merge(first.old.deviceId, first.fresh.deviceId)
  assert.deepEqual(await suspended(first.old.deviceId), [owner.id, true], 'the kept one is registered')

  agents.pass(3_600)
  const second = await agents.enrolled(organizationId, { ...before, serial: 'SECOND-1', uuid: 'BBBBBBBB-1-1-1-1' })
  await register(second.deviceId)
  await flush()
  agents.pass(3_600)
  const stranger = await agents.enrolled(organizationId, { ...again, hostIdentifier: 'another' })
  await flush()
  await merge(stranger.deviceId, second.deviceId)
  assert.deepEqual(await suspended(stranger.deviceId), [owner.id, true], 'the other one was registered')

  const own = await agents.enrolled(organizationId, { serial: 'THIRD-1', hostIdentifier: 'third', uuid: '' })
  await register(own.deviceId)
  await flush()
  const silent = await make.device(organizationId, { device_type: (await deviceOf(own.deviceId)).device_type })
  await merge(own.deviceId, silent.id)
  assert.deepEqual(await suspended(own.deviceId), [owner.id, false], 'its own agent continues')
})

test('a registration in doubt is announced, and its owner ends the doubt', async () => {
  const owner = await make.person(organizationId)
  const { old, fresh } = await installedAnew()
  await within((tx) => registerDevice(tx, { deviceId: old.deviceId, personId: owner.id }, byAdmin()))
  await merge(old.deviceId, fresh.deviceId)
  const { type } = await database.db
    .selectFrom('events')
    .select('type')
    .where('type', '=', 'devices.registration_suspended')
    .executeTakeFirstOrThrow()
  assert.equal(type, 'devices.registration_suspended')
  await within((tx) => confirmRegistration(tx, { deviceId: old.deviceId }, byAdmin()))
  const device = await deviceOf(old.deviceId)
  assert.deepEqual([device.registered_owner_id, device.registration_suspended_at], [owner.id, null])
})

for (const place of ['kept', 'other'] as const) {
  test(`an equal serial does not show whose agent continues, where the registered device is the ${place} one`, async () => {
    const owner = await make.person(organizationId)
    const machineAt = (board: number) => ({ serial: 'SAME-1', uuid: `CCCCCCCC-0000-4000-8000-00000000000${board}` })
    const old = await agents.enrolled(organizationId, { ...machineAt(1), hostIdentifier: 'old' })
    await flush()
    agents.pass(3_600)
    const fresh = await agents.enrolled(organizationId, { ...machineAt(2), hostIdentifier: 'new' })
    await flush()
    assert.notEqual(fresh.deviceId, old.deviceId)
    await within((tx) => registerDevice(tx, { deviceId: old.deviceId, personId: owner.id }, byAdmin()))
    const ids = [old.deviceId, fresh.deviceId] as const
    const [keptId, otherId] = place === 'kept' ? ids : [ids[1], ids[0]]
    await merge(keptId, otherId)
    const device = await deviceOf(keptId)
    assert.deepEqual([device.registered_owner_id, device.registration_suspended_at], [owner.id, agents.now()])
  })
}
