import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { type Actor, newChange, systemChange } from '../../base/change-context.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { orNotFound, ServiceError } from '../../base/errors.ts'
import { plusMs } from '../../base/time.ts'
import { lockDevice } from '../../inventory/devices/lock-device.ts'
import { changeSettings } from '../../inventory/organizations/change-settings.ts'
import { registerDevice } from '../registrations/register-device.ts'
import { suspendRegistration } from '../registrations/suspend-registration.ts'
import { raiseRegistrationRequest } from './raise-registration-request.ts'
import { reopenRegistrationRequest } from './reopen-registration-request.ts'
import { requestRegistration } from './request-registration.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const hour = (count: number) => plusMs(start, count * 3_600_000)
const link = (collection: string, id: string) => ({ identifier: id, link: `https://muster.test/${collection}/${id}` })

let ada: Awaited<ReturnType<typeof make.person>>
let adasActor: Actor
let device: Awaited<ReturnType<typeof make.device>>

beforeEach(async () => {
  await app.reset()
  app.setNow(hour(2))
  ada = await make.person(app.tenant.organizationId, {
    name: 'Ada',
    email: 'ada@acme.example',
    has_used_first_trust: true,
  })
  adasActor = { type: 'Person', id: ada.id, name: ada.name, email: ada.email, source: null }
  device = await make.device(app.tenant.organizationId, { name: 'Mac' })
})

const within = <T>(work: (tx: Tx) => Promise<T>) => transact(app.db, work)
const asked = (changed: object = {}) => ({
  deviceId: device.id,
  personId: ada.id,
  message: 'My new laptop.',
  ...changed,
})
const byAda = () => newChange(adasActor, app.tenant.organizationId, hour(1))
const raise = (changed?: object) => within((tx) => raiseRegistrationRequest(tx, asked(changed), byAda()))
const request = (changed?: object) => within((tx) => requestRegistration(tx, asked(changed), byAda()))
const reopen = (requestId: string) => {
  const reopening = { requestId }
  return within((tx) => reopenRegistrationRequest(tx, reopening, systemChange(app.tenant.organizationId, hour(3))))
}
const register = (personId: string, at = start) =>
  within((tx) => registerDevice(tx, { deviceId: device.id, personId }, systemChange(app.tenant.organizationId, at)))

const decide = (id: string, body: object, method = 'PATCH') => app.ask(method, `/registration_requests/${id}`, { body })
const denial = { status: 'denied', internal_message: 'Not ours.', end_user_denial_message: 'Use the one we gave you.' }

const refusal = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code
const ownerOf = async () => (await app.ask('GET', `/devices/${device.id}`)).body.registered_owner_info.identifier
const trustOf = async (id: string) =>
  (await app.db.selectFrom('people').select('has_used_first_trust').where('id', '=', id).executeTakeFirstOrThrow())
    .has_used_first_trust
const sentences = async () =>
  (await app.db.selectFrom('audit_logs').select(['description', 'actor_type']).orderBy('id').execute())
    .filter((row) => row.description.includes('Mac'))
    .map((row) => `${row.actor_type}: ${row.description}`)
const newsOf = async (type: string) =>
  (
    await app.db.selectFrom('events').select(['device_id', 'data']).where('type', '=', type).orderBy('id').execute()
  ).map((row) => ({ device_id: row.device_id, ...row.data }))

const pending = (id: string) => ({
  id,
  status: 'pending',
  requester_message: 'My new laptop.',
  internal_denial_note: null,
  internal_approval_note: null,
  requested_at: hour(1),
  end_user_denial_note: null,
  requester_information: link('people', ada.id),
  device_information: link('devices', device.id),
})

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listRegistrationRequests and getRegistrationRequest answer whole records in version ${version}`, async () => {
    const id = await raise()
    const options = { headers, key: app.tenant.readOnlyKey }
    const one = await app.ask('GET', `/registration_requests/${id}`, options)
    assert.deepEqual([one.status, one.body], [200, pending(id)])
    const list = await app.ask('GET', '/registration_requests', options)
    assert.deepEqual(list.body, {
      data: [pending(id)],
      pagination: { next: '', current_cursor: '', next_cursor: '', count: 1 },
    })
  })
}

test('registration requests are searched by status, moment and message', async () => {
  const about = { device, person: ada }
  const first = await make.registrationRequest(about, { requester_message: 'Mine', requested_at: hour(1) })
  const second = await make.registrationRequest(about, { status: 'denied', requested_at: hour(2) })
  const cases: [string, string[]][] = [
    ['status:pending', [first.id]],
    ['status:denied OR status:approved', [second.id]],
    [`requested_at<${hour(2)}`, [first.id]],
    ['requester_message~"leas"', [second.id]],
  ]
  for (const [query, expected] of cases) {
    const { body } = await app.ask('GET', `/registration_requests?query=${encodeURIComponent(query)}`)
    assert.deepEqual(
      body.data?.map((row: { id: string }) => row.id),
      expected,
      query,
    )
  }
  assert.equal((await app.ask('GET', '/registration_requests?query=status:open')).status, 422)
})

test('raising a request is announced with what a receiver needs, and audited', async () => {
  const id = await raise()
  assert.deepEqual(await newsOf('requests.registration'), [
    {
      device_id: device.id,
      deviceName: 'Mac',
      requestId: id,
      personId: ada.id,
      personEmail: 'ada@acme.example',
      message: 'My new laptop.',
    },
  ])
  assert.deepEqual(await sentences(), [
    'Person: Asked for "Ada" (ada@acme.example) that the device "Mac" be registered to them: "My new laptop.".',
  ])
})

for (const method of ['PATCH', 'PUT']) {
  test(`decideRegistrationRequest by ${method} approves: the device is the requester’s from then on`, async () => {
    const id = await raise()
    const { status, body } = await decide(id, { status: 'approved', internal_message: 'Order 4711.' }, method)
    assert.deepEqual(
      [status, body],
      [200, { ...pending(id), status: 'approved', internal_approval_note: 'Order 4711.' }],
    )
    const { registered_at, registered_owner_info } = (await app.ask('GET', `/devices/${device.id}`)).body
    assert.deepEqual([registered_at, registered_owner_info], [hour(2), link('people', ada.id)])
    assert.equal((await newsOf('devices.registered')).length, 1)
    assert.deepEqual((await sentences()).slice(-2), [
      'ApiKey: Registered the device "Mac" to "Ada" (ada@acme.example).',
      'ApiKey: Approved the request of "Ada" (ada@acme.example) to register the device "Mac": "Order 4711.".',
    ])
  })
}

test('an approval takes the device from its owner, who may trust another one on first use', async () => {
  const bob = await make.person(app.tenant.organizationId)
  await register(bob.id)
  const id = await raise()
  assert.equal((await decide(id, { status: 'approved' })).status, 200)
  assert.equal(await ownerOf(), ada.id)
  assert.deepEqual([await trustOf(bob.id), await trustOf(ada.id)], [false, true])
})

test('an approval confirms the suspended registration of the requester', async () => {
  await register(ada.id)
  await within(async (tx) => {
    const locked = orNotFound(await lockDevice(tx, app.tenant.organizationId, device.id))
    await suspendRegistration(tx, locked, 'a test doubts it', systemChange(app.tenant.organizationId, start))
  })
  const id = await raise()
  assert.equal((await decide(id, { status: 'approved' })).status, 200)
  const row = await app.db.selectFrom('devices').selectAll().where('id', '=', device.id).executeTakeFirstOrThrow()
  assert.deepEqual(
    [row.registered_owner_id, row.registered_at, row.registration_suspended_at],
    [ada.id, start, null],
    'the time of the registration stays',
  )
  assert.equal((await sentences()).at(-2), 'ApiKey: Confirmed the registration of the device "Mac".')
})

test('denying tells the requester why and leaves the device as it is', async () => {
  const id = await raise()
  const { status, body } = await decide(id, denial)
  assert.deepEqual(
    [status, body],
    [
      200,
      {
        ...pending(id),
        status: 'denied',
        internal_denial_note: 'Not ours.',
        end_user_denial_note: 'Use the one we gave you.',
      },
    ],
  )
  assert.equal(await ownerOf(), '')
  assert.equal(
    (await sentences()).at(-1),
    'ApiKey: Denied the request of "Ada" (ada@acme.example) to register the device "Mac": "Not ours.".',
  )
})

test('the deprecated internal_denial_reason is taken for the note of a denial only', async () => {
  const [denied, approved] = [
    await raise(),
    await raise({ deviceId: (await make.device(app.tenant.organizationId)).id }),
  ]
  const old = { internal_denial_reason: 'Old name.', end_user_denial_message: 'No.' }
  assert.equal((await decide(denied, { status: 'denied', ...old })).body.internal_denial_note, 'Old name.')
  const { body } = await decide(approved, { status: 'approved', ...old })
  assert.deepEqual(
    [body.internal_denial_note, body.internal_approval_note, body.end_user_denial_note],
    [null, null, null],
  )
})

test('a decided request is decided no more', async () => {
  const id = await raise()
  await decide(id, denial)
  const before = await rowVersions(app.db)
  for (const body of [denial, { status: 'approved' }]) {
    const answer = await decide(id, body)
    assert.deepEqual([answer.status, answer.body.error], [422, 'request_decided'])
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

const unfit: [string, object, string][] = [
  ['without a status', {}, 'status'],
  ['with a status of its own', { status: 'pending' }, 'status'],
  ['that denies without a message', { status: 'denied', internal_message: 'No.' }, 'end_user_denial_message'],
  ['with a note of another type', { status: 'approved', internal_message: [] }, 'internal_message'],
]

for (const [what, body, field] of unfit) {
  test(`a decision ${what} is refused and changes nothing`, async () => {
    const id = await raise()
    const before = await rowVersions(app.db)
    const answer = await decide(id, body)
    assert.deepEqual([answer.status, answer.body.error, answer.body.errors[0].field], [422, 'invalid', field])
    assert.deepEqual(await rowVersions(app.db), before)
  })
}

test('deciding needs the permission Manage User Requests', async () => {
  const id = await raise()
  const key = await app.addKey(['update_devices'])
  const answer = await app.ask('PATCH', `/registration_requests/${id}`, { key, body: denial })
  assert.deepEqual([answer.status, answer.body.error], [403, 'permission_missing'])
})

test('a request is refused where it waits already, and where the device is theirs', async () => {
  await raise()
  await assert.rejects(raise(), refusal('already_requested'))
  const bob = await make.person(app.tenant.organizationId)
  await raise({ personId: bob.id })
  await register(ada.id)
  await assert.rejects(raise(), refusal('already_registered'))
  await assert.rejects(raise({ message: '' }), refusal('already_registered'))
  await assert.rejects(raise({ personId: '900000000000000001' }), refusal('not_found'))
  await assert.rejects(raise({ deviceId: '900000000000000001' }), refusal('not_found'))
})

test('a device that is the requester’s by now is approved without another registration', async () => {
  const id = await raise()
  await register(ada.id)
  assert.equal((await decide(id, { status: 'approved' })).status, 200)
  assert.equal((await newsOf('devices.registered')).length, 1)
})

test('a first device is registered at once; the next one, and someone else’s, are asked for', async () => {
  const { organizationId } = app.tenant
  const bob = await make.person(organizationId, { name: 'Bob', email: 'bob@acme.example' })
  const theirs = await make.device(organizationId, { registered_owner_id: ada.id })
  const asking = await request({ personId: bob.id, deviceId: theirs.id })
  assert.equal((await app.ask('GET', `/registration_requests/${asking}`)).body.status, 'pending')
  assert.equal(await request({ personId: bob.id }), undefined)
  assert.equal(await ownerOf(), bob.id)
  assert.deepEqual((await sentences()).at(-1), 'Person: Registered the device "Mac" to "Bob" (bob@acme.example).')
  const next = await make.device(organizationId)
  const id = await request({ personId: bob.id, deviceId: next.id })
  assert.equal((await app.ask('GET', `/registration_requests/${id}`)).body.status, 'pending')
  await assert.rejects(request({ personId: bob.id }), refusal('already_registered'))
})

test('a first device that was taken from the person is asked for, whoever else has had it since', async () => {
  const { organizationId } = app.tenant
  const bob = await make.person(organizationId, { name: 'Bob', email: 'bob@acme.example' })
  const end = () => app.ask('DELETE', `/devices/${device.id}/registration`)
  await register(bob.id)
  assert.equal((await end()).status, 200)
  const carla = await make.person(organizationId, { name: 'Carla', email: 'carla@acme.example' })
  await register(carla.id)
  assert.equal((await end()).status, 200)
  const ofBob = await request({ personId: bob.id })
  assert.equal((await app.ask('GET', `/registration_requests/${ofBob}`)).body.status, 'pending')
  const other = await make.device(organizationId)
  assert.equal(await request({ personId: carla.id, deviceId: other.id }), undefined)
  const byHand = await request({ personId: (await make.person(organizationId)).id })
  assert.equal(byHand, undefined, 'someone who never had it registers it')
})

test('a denied request is reopened unless the person has asked again, and an approved one is not', async () => {
  const denied = await raise()
  await decide(denied, denial)
  const again = await raise()
  await assert.rejects(reopen(denied), refusal('already_requested'))
  await decide(again, { status: 'approved' })
  await assert.rejects(reopen(again), refusal('request_decided'))
  await reopen(denied)
  assert.deepEqual((await app.ask('GET', `/registration_requests/${denied}`)).body, pending(denied))
  assert.equal(
    (await sentences()).at(-1),
    'System: Reopened the request of "Ada" (ada@acme.example) to register the device "Mac", which was denied.',
  )
  const before = await rowVersions(app.db)
  await reopen(denied)
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a first device is registered at once only while the checks that registering requires pass on it', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const other = await make.check(organizationId)
  const by = systemChange(organizationId, hour(1))
  type Status = 'pending' | 'failing' | 'errored' | 'unknown' | 'passing' | 'out_of_scope'
  // A device has a result of each check that runs on it from its enrollment.
  const noted = (deviceId: string, checkId: string, status: Status) =>
    app.db
      .updateTable('check_results')
      .set({ status, in_scope_status: status === 'out_of_scope' ? 'failing' : null })
      .where('device_id', '=', deviceId)
      .where('check_id', '=', checkId)
      .execute()
  const require = (ids: string[]) =>
    within((tx) => changeSettings(tx, { wanted: { registration_required_checks: ids } }, by))
  await assert.rejects(require(['999']), { code: 'invalid' })
  await require([check.id, other.id])
  for (const status of ['pending', 'failing', 'errored', 'unknown'] as const) {
    const person = await make.person(organizationId, { email: `${status}@acme.example` })
    const device = await make.device(organizationId)
    await noted(device.id, check.id, status)
    assert.match((await request({ personId: person.id, deviceId: device.id })) ?? '', /^\d+$/, status)
  }
  for (const status of ['passing', 'out_of_scope'] as const) {
    const person = await make.person(organizationId, { email: `${status}@acme.example` })
    const device = await make.device(organizationId)
    await noted(device.id, check.id, status)
    await noted(device.id, other.id, 'passing')
    assert.equal(await request({ personId: person.id, deviceId: device.id }), undefined, status)
  }
})

test('a first device waits for a decision where the organization wants that', async () => {
  const { organizationId } = app.tenant
  const bob = await make.person(organizationId, { name: 'Bob', email: 'bob@acme.example' })
  const eve = await make.person(organizationId, { name: 'Eve', email: 'eve@acme.example' })
  const second = await make.device(organizationId, { name: 'Second' })
  const by = systemChange(organizationId, hour(1))
  await within((tx) => changeSettings(tx, { wanted: { is_first_device_trusted: false } }, by))
  const requestId = await request({ personId: bob.id })
  assert.match(requestId ?? '', /^\d+$/)
  await within((tx) => changeSettings(tx, { wanted: { is_first_device_trusted: null } }, by))
  assert.equal(await request({ personId: eve.id, deviceId: second.id }), undefined, 'registered at once, as is usual')
})
