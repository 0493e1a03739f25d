import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionClient, companionMachine } from '../../../test/support/companion-client.ts'
import { linkNameIn, linkRows, reportLinkFiles } from '../../../test/support/link-report.ts'
import { makeIn } from '../../../test/support/make.ts'
import { resolveIdentityConflict } from '../../administration/registrations/end-identity-conflicts.ts'
import { registerDevice } from '../../administration/registrations/register-device.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { queryName } from './query-names.ts'
import { refuseUnconfirmedNodes } from './refuse-unconfirmed-nodes.ts'
import { revokeEnrollmentSecret } from './revoke-enrollment-secret.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }
const change = (organizationId: string) => systemChange(organizationId, agents.now())
const isIn = async (client: ReturnType<typeof agents.client>) => (await client.config()).accepted

/** Ana's laptop: osquery and a linked companion. */
async function linkedLaptop() {
  const { id: organizationId } = await make.organization()
  const { id: checkId } = await make.check(organizationId, { sql_template: 'select 1 as number' })
  const { client, deviceId } = await agents.enrolled(organizationId, machine)
  await client.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }))
  const companion = await companionClient(agents.server.origin)
  const secret = await agents.enrollmentSecret(organizationId)
  const { body } = await companion.enroll(secret)
  assert.ok(await reportLinkFiles(client, [body.link?.name ?? '']))
  const ana = await make.person(organizationId)
  await transact(database.db, (tx) => registerDevice(tx, { deviceId, personId: ana.id }, change(organizationId)))
  agents.pass(60)
  const standing = async () => {
    await agents.server.agents.flush()
    const { db } = database
    return {
      device: await db.selectFrom('devices').selectAll().where('id', '=', deviceId).executeTakeFirstOrThrow(),
      results: await db.selectFrom('check_results').select(['status', 'ran_at']).execute(),
      seen: await db.selectFrom('device_presence').select('last_seen_at').execute(),
      tables: await db.selectFrom('device_snapshots').select('reporting_table').execute(),
      audits: (await db.selectFrom('audit_logs').select('action').execute()).length,
    }
  }
  /** The name under which the laptop is asked for the check. */
  const checkName = () =>
    queryName(
      agents.secrets,
      { organizationId, deviceId },
      { kind: 'check', id: checkId, revision: '1', issuedAtMs: Date.parse(agents.now()) },
    )
  return { organizationId, client, deviceId, companion, secret, standing, checkName }
}

/** A node that enrolls as the laptop, as osquery does once its database is deleted. */
async function unconfirmedNode(secret: string) {
  const node = agents.client()
  assert.ok((await node.enroll(secret, machine)).accepted)
  return node
}

const auditsOf = async (action: string) =>
  (
    await database.db
      .selectFrom('audit_logs')
      .select('description')
      .where('action', '=', action)
      .orderBy('id')
      .execute()
  ).map(({ description }) => description)

const countOf = async (type: string) =>
  (await database.db.selectFrom('events').select('id').where('type', '=', type).execute()).length

test('a node that enrolls as a device with a linked companion changes nothing', async () => {
  const laptop = await linkedLaptop()
  const before = await laptop.standing()
  const node = await unconfirmedNode(laptop.secret)
  assert.ok(await isIn(node), 'it is answered')
  const { queries } = await node.read()
  assert.deepEqual(
    Object.keys(queries).map((name) => name.split('/')[0]),
    ['link'],
    'it is asked for nothing but the file',
  )
  const [name = ''] = Object.keys(queries)
  await node.write({ [name]: { rows: linkRows(['a-file-of-its-own']) } })
  await node.write({ [laptop.checkName()]: { rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] } })
  await node.log('result', [
    { name: 'muster/inventory/users', action: 'snapshot', snapshot: [{ uid: '0' }], unixTime: 1_795_000_000 },
  ])
  assert.deepEqual(await laptop.standing(), before)
  assert.ok(await isIn(laptop.client), 'the node in service stays')
  assert.equal((await laptop.companion.checkIn()).body.status, 'linked')
})

test('it is in service once it shows the file that the companion was asked for, and the registration stays', async () => {
  const laptop = await linkedLaptop()
  const node = await unconfirmedNode(laptop.secret)
  const other = await unconfirmedNode(laptop.secret)
  const { body } = await laptop.companion.checkIn()
  assert.ok(await reportLinkFiles(node, [body.link?.name ?? '']))
  assert.ok(await isIn(node))
  assert.equal(await isIn(laptop.client), false, 'the earlier node key has ended')
  assert.equal(await isIn(other), false, 'so have those of other unconfirmed nodes')
  const { device } = await laptop.standing()
  assert.deepEqual([device.registration_suspended_at, device.identity_conflict_since], [null, null])
  assert.notEqual(device.registered_owner_id, null)
  assert.equal(device.enrolled_at, agents.now())
  assert.deepEqual(await auditsOf('device.enrolled_again'), [
    'The device "ana-x1" enrolled again with the enrollment secret "Laptops", confirmed by its companion.',
  ])
  agents.pass(4_000)
  assert.ok((await node.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))) > 0, 'and is asked for results')
  assert.deepEqual(
    (await laptop.standing()).results.map(({ status }) => status),
    ['passing'],
  )
  agents.pass(1_000)
  await refuseUnconfirmedNodes(database.db, agents.now())
  assert.ok(await isIn(node))
})

test('another process knows of it at once', async () => {
  const laptop = await linkedLaptop()
  const another = await agents.another()
  const node = another.client()
  await node.enroll(laptop.secret, machine)
  const { body } = await laptop.companion.checkIn()
  assert.ok(await reportLinkFiles(node, [body.link?.name ?? '']))
  const here = agents.client()
  here.nodeKey = node.nodeKey
  assert.ok(await isIn(here))
  assert.equal(await isIn(laptop.client), false)
})

test('no other file brings it into service', async () => {
  const laptop = await linkedLaptop()
  const node = await unconfirmedNode(laptop.secret)
  const own = await companionClient(agents.server.origin)
  const { body: ofOwn } = await own.enroll(laptop.secret)
  const { body } = await laptop.companion.checkIn()
  const name = body.link?.name ?? ''
  const reports = [
    { names: [ofOwn.link?.name ?? ''] },
    { names: ['A'.repeat(41)] },
    { names: [name], changes: { file: { uid: '1000' } } },
    { names: [name], changes: { file: { mode: '0644' } } },
    { names: [name], changes: { folder: { mode: '0777' } } },
  ]
  for (const { names, changes } of reports) {
    agents.pass(6)
    assert.ok(await reportLinkFiles(node, names, changes))
  }
  assert.ok(await isIn(laptop.client))
  assert.equal((await own.checkIn()).body.status, 'linking')
  assert.equal((await laptop.standing()).device.registration_suspended_at, null)
})

test('after 15 minutes it is refused, and the device is marked; its registration and its node stay', async () => {
  const laptop = await linkedLaptop()
  const nodes = [await unconfirmedNode(laptop.secret), await unconfirmedNode(laptop.secret)]
  agents.pass(899)
  await refuseUnconfirmedNodes(database.db, agents.now())
  for (const node of nodes) assert.ok(await isIn(node))
  agents.pass(2)
  for (const node of nodes) assert.equal(await isIn(node), false, 'also before the background has come by')
  await refuseUnconfirmedNodes(database.db, agents.now())
  const { device } = await laptop.standing()
  assert.equal(device.identity_conflict_since, agents.now())
  assert.equal(device.registration_suspended_at, null)
  assert.ok(await isIn(laptop.client))
  assert.deepEqual(await auditsOf('device.identity_conflict_found'), [
    'Refused 2 osquery nodes that enrolled as the device "ana-x1": its companion did not confirm them within 15 minutes.',
  ])
  assert.equal(await countOf('devices.identity_conflict'), 1)
  for (let times = 0; times < 4; times += 1) {
    await unconfirmedNode(laptop.secret)
    agents.pass(901)
    await refuseUnconfirmedNodes(database.db, agents.now())
  }
  assert.deepEqual((await auditsOf('device.identity_conflict_found')).slice(1), [
    'Refused 4 osquery nodes that enrolled as the device "ana-x1": its companion did not confirm them within 15 minutes.',
  ])
  assert.equal(await countOf('devices.identity_conflict'), 1, 'announced once')
})

test('a machine whose companion is gone gets in after an administrator has resolved the conflict, in doubt', async () => {
  const laptop = await linkedLaptop()
  await unconfirmedNode(laptop.secret)
  agents.pass(901)
  await refuseUnconfirmedNodes(database.db, agents.now())
  const { organizationId, deviceId } = laptop
  const resolve = () => transact(database.db, (tx) => resolveIdentityConflict(tx, { deviceId }, change(organizationId)))
  await resolve()
  const early = await unconfirmedNode(laptop.secret)
  assert.ok(await isIn(laptop.client), 'its companion was here less than an hour ago')
  agents.pass(3_600)
  await refuseUnconfirmedNodes(database.db, agents.now())
  assert.equal(await isIn(early), false)
  const reinstalled = await unconfirmedNode(laptop.secret)
  assert.ok(await isIn(reinstalled))
  assert.equal(await isIn(laptop.client), false)
  const { device } = await laptop.standing()
  assert.notEqual(device.registration_suspended_at, null)
  assert.equal((await laptop.companion.checkIn()).body.status, 'linking')
  assert.match((await auditsOf('device.companion_unlinked'))[0] ?? '', /did not confirm it/)
})

test('of one device eight nodes wait at most, the latest', async () => {
  const laptop = await linkedLaptop()
  const remembered = agents.context.registry.size()
  const nodes = []
  for (let count = 0; count < 10; count += 1) {
    agents.pass(1)
    nodes.push(await unconfirmedNode(laptop.secret))
  }
  const accepted = await Promise.all(nodes.map(isIn))
  assert.deepEqual(accepted, [false, false, ...Array(8).fill(true)])
  assert.equal(agents.context.registry.size(), remembered, 'none of them is remembered')
})

test('a node whose enrollment secret was revoked meanwhile stays out', async () => {
  const laptop = await linkedLaptop()
  const node = await unconfirmedNode(laptop.secret)
  const { id } = await database.db
    .selectFrom('enrollment_secrets')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await transact(database.db, (tx) => revokeEnrollmentSecret(tx, { id }, change(laptop.organizationId)))
  const { body } = await laptop.companion.checkIn()
  assert.ok(await reportLinkFiles(node, [body.link?.name ?? '']))
  assert.ok(await isIn(laptop.client))
})

test('while two companions contend for the key no node comes into service by it', async () => {
  const laptop = await linkedLaptop()
  const copy = await companionClient(agents.server.origin, laptop.companion.keys)
  copy.holdEpoch('an epoch of long ago')
  await copy.checkIn()
  const node = await unconfirmedNode(laptop.secret)
  const names = [copy, laptop.companion].map(async (one) => (await one.checkIn()).body.link?.name ?? '')
  agents.pass(6)
  assert.ok(await reportLinkFiles(node, await Promise.all(names)))
  assert.ok(await isIn(laptop.client))
  assert.notEqual((await laptop.standing()).device.enrolled_at, agents.now())
})

test('a device whose key only a node key has linked is enrolled again as one without a companion', async () => {
  const laptop = await linkedLaptop()
  await database.db.updateTable('companion_keys').set({ linked_by: 'node_key' }).execute()
  const node = await unconfirmedNode(laptop.secret)
  assert.equal(await isIn(laptop.client), false)
  assert.ok(await isIn(node))
  assert.equal(linkNameIn((await node.read()).queries), undefined)
})
