import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInStage } from '../../../test/support/sign-in-stage.ts'
import { assignOwner } from '../../administration/registrations/assign-owner.ts'
import { deprovisionPerson } from '../../administration/registrations/deprovision-person.ts'
import { suspendRegistration } from '../../administration/registrations/suspend-registration.ts'
import { decideRegistrationRequest } from '../../administration/requests/decide-registration-request.ts'
import { reopenRegistrationRequest } from '../../administration/requests/reopen-registration-request.ts'
import { transact } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { restorePerson } from '../../inventory/people/restore-person.ts'

const { stage, make, change, setUp, addKey, epochOf, arrive, proveIn, finishPath } = signInStage()

type All = Awaited<ReturnType<typeof setUp>>
type Visit = Awaited<ReturnType<typeof arrive>>

const later = (ms = minuteMs) => stage.setNow(plusMs(stage.now(), ms))
const stateOn = async (visit: Visit) => /data-state="(\w+)"/.exec((await visit.go(`${visit.path}/region`)).text)?.[1]

/** A sign-in of Ana in a browser of its own, with the device that answers. */
async function signIn(all: All, { companion = all.companion, hint = 'ana@example.com', more = {} } = {}) {
  later()
  const visit = await arrive(all, hint)
  const proof = await companion.prove(await visit.challenge(), await epochOf(companion.kid), more)
  const { text } = await visit.post('proof', { proof })
  return { ...visit, state: (JSON.parse(text) as { state?: string }).state }
}

const register = (visit: Visit, message = 'It is mine') => visit.post('register', { message })
const isAnswered = async (visit: Visit) =>
  (await visit.follow(await finishPath(visit))).away?.includes('code=') ?? false

async function secondDevice({ organizationId }: All) {
  const device = await make.device(organizationId, { name: 'ana-x2' })
  return { device, companion: await addKey(device.id) }
}

async function ownerOf(deviceId: string) {
  const devices = stage.db.selectFrom('devices').select('registered_owner_id').where('id', '=', deviceId)
  return (await devices.executeTakeFirstOrThrow()).registered_owner_id
}

const unregister = (deviceId: string) => stage.ask('DELETE', `/devices/${deviceId}/registration`)

test('a laptop whose registration was ended is not registered by a click again, and another one is', async () => {
  const all = await setUp({ isRegistered: false })
  const first = await signIn(all)
  assert.equal(first.state, 'register')
  await register(first)
  assert.equal(await isAnswered(first), true)
  assert.equal((await unregister(all.device.id)).status, 200)
  const same = await signIn(all)
  assert.equal(same.state, 'ask_it')
  assert.match((await same.go(same.path)).text, /IT ended its registration to you\./)
  const second = await secondDevice(all)
  const other = await signIn(all, second)
  assert.equal(other.state, 'register')
  await register(other)
  assert.equal(await ownerOf(second.device.id), all.person.id)
  assert.equal(await ownerOf(all.device.id), null)
})

test('a click that was sent without the page asks as well', async () => {
  const all = await setUp()
  await unregister(all.device.id)
  const visit = await signIn(all)
  assert.equal((await register(visit, '')).status, 422, 'IT is asked by a message')
  await register(visit, 'It is mine')
  assert.equal(await stateOn(visit), 'awaiting_approval')
  assert.equal(await ownerOf(all.device.id), null)
})

test('an approval and an assignment clear an ended registration', async () => {
  const all = await setUp()
  const ended = () => stage.db.selectFrom('ended_registrations').select(['person_id', 'ended_by']).execute()
  await unregister(all.device.id)
  assert.deepEqual(await ended(), [{ person_id: all.person.id, ended_by: 'Full access' }])
  const visit = await signIn(all)
  await register(visit)
  const { id: requestId } = await stage.db.selectFrom('registration_requests').select('id').executeTakeFirstOrThrow()
  later()
  await transact(stage.db, (tx) =>
    decideRegistrationRequest(tx, { requestId, decision: { status: 'approved' } }, change()),
  )
  assert.deepEqual(await ended(), [])
  assert.equal(await stateOn(visit), 'passed')
  const other = await make.person(all.organizationId, { email: 'ben@example.com' })
  const assign = (personId: string) =>
    transact(stage.db, (tx) => assignOwner(tx, { deviceId: all.device.id, personId, requirePower: () => {} }, change()))
  await assign(other.id)
  assert.deepEqual(await ended(), [{ person_id: all.person.id, ended_by: 'Muster' }])
  await assign(all.person.id)
  assert.deepEqual(await ended(), [{ person_id: other.id, ended_by: 'Muster' }])
})

test('who leaves and comes back asks for the laptop that they had', async () => {
  const all = await setUp()
  await transact(stage.db, (tx) => deprovisionPerson(tx, { personId: all.person.id }, change()))
  await transact(stage.db, (tx) => restorePerson(tx, { personId: all.person.id }, change()))
  assert.equal((await signIn(all)).state, 'ask_it')
  assert.equal((await signIn(all, await secondDevice(all))).state, 'register')
})

test('fifty first clicks at the same time make one registration', async () => {
  const all = await setUp({ isRegistered: false })
  const second = await secondDevice(all)
  const visits = []
  for (let count = 0; count < 10; count += 1) visits.push(await signIn(all, count % 2 === 0 ? all : second))
  const clicks = visits.flatMap((visit) => Array.from({ length: 5 }, () => register(visit, '')))
  const statuses = (await Promise.all(clicks)).map(({ status }) => status)
  assert.deepEqual([...new Set(statuses)].toSorted(), [200, 422])
  const owners = [await ownerOf(all.device.id), await ownerOf(second.device.id)]
  assert.deepEqual(owners.toSorted(), [all.person.id, null])
  const told = await stage.db.selectFrom('events').select('id').where('type', '=', 'devices.registered').execute()
  assert.equal(told.length, 1)
  assert.deepEqual(await stage.db.selectFrom('registration_requests').select('id').execute(), [])
})

test('a second click finds the device registered, and says so in no log', async () => {
  const all = await setUp({ isRegistered: false })
  const visit = await signIn(all)
  for (const _ of [1, 2, 3]) assert.equal((await register(visit)).status, 200)
  const events = await stage.db.selectFrom('auth_log_events').select('type').orderBy('position').execute()
  assert.deepEqual(
    events.map(({ type }) => type).filter((type) => type.startsWith('device_registration')),
    ['device_registration_request', 'device_registration_successful'],
  )
})

test('with several people logged in nobody registers the device by a click', async () => {
  const all = await setUp({ isRegistered: false })
  const shared = await signIn(all, { more: { people: 2 } })
  assert.equal(shared.state, 'ask_it')
  assert.match((await shared.go(shared.path)).text, /More than one person is logged in on it\./)
  await register(shared)
  assert.equal(await ownerOf(all.device.id), null)
  const { evidence } = await stage.db.selectFrom('registration_requests').select('evidence').executeTakeFirstOrThrow()
  assert.equal(evidence?.people_count, 2)
  await stage.db.deleteFrom('registration_requests').execute()
  for (const people of [undefined, null, 'two', -1, 0, 1]) {
    assert.equal((await signIn(all, { more: { people } })).state, 'register', String(people))
  }
})

test('a Windows system for several people at a time is registered by no click', async () => {
  const all = await setUp({ isRegistered: false })
  for (const system of ['Microsoft Windows Server 2022 Datacenter', 'Microsoft Windows 11 Enterprise multi-session']) {
    await stage.db.updateTable('devices').set({ operating_system: system }).execute()
    assert.equal((await signIn(all)).state, 'ask_it', system)
  }
  await stage.db.updateTable('devices').set({ operating_system: 'Microsoft Windows 11 Pro' }).execute()
  assert.equal((await signIn(all)).state, 'register')
})

test('who uses the device of someone else keeps their own first click', async () => {
  const all = await setUp()
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  await stage.db.updateTable('devices').set({ authentication_mode: 'anyone' }).execute()
  assert.equal(await isAnswered(await signIn(all, { hint: ben.email })), true)
  const own = await signIn(all, { ...(await secondDevice(all)), hint: ben.email })
  assert.equal(own.state, 'register')
})

test('members of a group that the device is shared with pass, and others do not', async () => {
  const all = await setUp()
  const [ben, eve] = [
    await make.person(all.organizationId, { email: 'ben@example.com' }),
    await make.person(all.organizationId, { email: 'eve@example.com' }),
  ]
  const group = await make.personGroup(all.organizationId, { personIds: [ben.id] })
  const body = { authentication_mode: 'only_registered_owner_or_group_members', person_group_ids: [group.id] }
  await stage.ask('PATCH', `/devices/${all.device.id}/authentication_mode`, { body })
  assert.equal((await signIn(all, { hint: ben.email })).state, 'passed')
  assert.equal((await signIn(all, { hint: eve.email })).state, 'not_your_device')
})

test('ending a registration closes a page that is open, before and after it has passed', async () => {
  const all = await setUp()
  const visit = await signIn(all)
  assert.equal(visit.state, 'passed')
  const finish = await finishPath(visit)
  await unregister(all.device.id)
  assert.equal(await stateOn(visit), 'ask_it')
  assert.equal((await visit.follow(finish)).away, undefined, 'the way on is closed')
  assert.deepEqual(await stage.db.selectFrom('auth_logs').select('result').execute(), [{ result: 'Fail' }])
})

async function suspend(all: All) {
  later()
  await transact(stage.db, async (tx) => {
    const device = await lockDevice(tx, all.organizationId, all.device.id)
    if (device) await suspendRegistration(tx, device, 'it enrolled again', change())
  })
}

const confirmLink = () => {
  later()
  return stage.db.updateTable('companion_keys').set({ confirmed_at: stage.now(), link_name: null }).execute()
}

test('the owner confirms a suspended registration with the key that the device had before', async () => {
  const all = await setUp()
  await suspend(all)
  const waiting = await signIn(all)
  assert.equal(waiting.state, 'ask_it', 'its node has not shown the file since')
  const key = await stage.db.selectFrom('companion_keys').select('link_name').executeTakeFirstOrThrow()
  assert.notEqual(key.link_name, null, 'the node is asked for the file at once')
  await confirmLink()
  assert.equal(await stateOn(waiting), 'confirm')
  const ben = await make.person(all.organizationId, { email: 'ben@example.com' })
  const other = await signIn(all, { hint: ben.email })
  assert.equal(other.state, 'ask_it', 'someone else asks')
  const visit = await signIn(all)
  assert.equal(visit.state, 'confirm')
  assert.match((await visit.go(visit.path)).text, /Is this still your computer\?/)
  assert.equal(await finishPath(visit), '')
  assert.equal((await register(visit, '')).status, 200)
  assert.equal(await isAnswered(visit), true)
  const { body } = await stage.ask('GET', '/audit_logs')
  assert.match(JSON.stringify(body.data), /Confirmed the registration of the device/)
})

test('with a key that came after the suspension, or that two companions have, the owner asks', async () => {
  const all = await setUp()
  await suspend(all)
  await confirmLink()
  const set = (columns: object) => stage.db.updateTable('companion_keys').set(columns).execute()
  await set({ contest_ends_at: plusMs(stage.now(), 900_000) })
  assert.equal((await signIn(all)).state, 'ask_it')
  await set({ contest_ends_at: null, linked_at: stage.now() })
  const visit = await signIn(all)
  assert.equal(visit.state, 'ask_it')
  await register(visit)
  assert.equal(await stateOn(visit), 'awaiting_approval')
})

test('a request is withdrawn by the person, asked for again, and opened again by nobody', async () => {
  const all = await setUp()
  await unregister(all.device.id)
  const visit = await signIn(all)
  assert.equal((await visit.post('withdraw-registration')).status, 404)
  await register(visit, 'My laptop')
  assert.equal((await visit.post('withdraw-registration')).status, 200)
  assert.equal(await stateOn(visit), 'ask_it')
  const { id } = await stage.db.selectFrom('registration_requests').select('id').executeTakeFirstOrThrow()
  const { body } = await stage.ask('GET', `/registration_requests/${id}`)
  assert.deepEqual([body.status, body.internal_denial_note], ['denied', 'Withdrawn by the requester.'])
  await assert.rejects(
    transact(stage.db, (tx) => reopenRegistrationRequest(tx, { requestId: id }, change())),
    { code: 'request_withdrawn' },
  )
  later()
  await register(visit, 'Really')
  assert.equal(await stateOn(visit), 'awaiting_approval')
  const outcomes = await stage.db
    .selectFrom('auth_log_events')
    .select('type')
    .where('type', 'in', ['device_registration_successful', 'device_registration_blocked'])
    .execute()
  assert.deepEqual(outcomes, [], 'nobody has decided')
})

test('a request says who asks, for which laptop, from where and with what evidence', async () => {
  const all = await setUp()
  await unregister(all.device.id)
  await stage.db.updateTable('companion_keys').set({ network: '127.0.0.1' }).execute()
  await register(await signIn(all), 'My laptop')
  const requests = stage.db.selectFrom('registration_requests').select('evidence')
  const log = await stage.db.selectFrom('auth_logs').select('id').executeTakeFirstOrThrow()
  const key = await stage.db.selectFrom('companion_keys').select('linked_at').executeTakeFirstOrThrow()
  assert.deepEqual((await requests.executeTakeFirstOrThrow()).evidence, {
    ...{ sign_in_id: log.id, application: 'Payroll', vouched_by: 'Payroll', ip_address: '127.0.0.1' },
    ...{ is_same_network: true, companion_linked_at: key.linked_at, people_count: null },
  })
})

test('a registration and a request on the page are told by webhook, in the transaction of the click', async () => {
  const all = await setUp({ isRegistered: false })
  await make.webhookEndpoint(all.organizationId, { events: ['devices.registered', 'requests.registration'] })
  const told = async () =>
    (await stage.db.selectFrom('webhook_messages').select('event').orderBy('id').execute()).map(({ event }) => event)
  await register(await signIn(all))
  assert.deepEqual(await told(), ['devices.registered'])
  await register(await signIn(all, await secondDevice(all)), 'A second one')
  assert.deepEqual(await told(), ['devices.registered', 'requests.registration'])
})

test('the log says that browser and agent are on different networks', async () => {
  const all = await setUp()
  await stage.db.updateTable('companion_keys').set({ network: '198.51.100.9' }).execute()
  await proveIn(await arrive(all), all)
  const events = stage.db
    .selectFrom('auth_log_events')
    .select('description')
    .where('type', '=', 'agent_detection_success')
  assert.match(
    (await events.executeTakeFirstOrThrow()).description,
    /the browser is on a different network than the agent/,
  )
})
