import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { enrollBody, type Machine } from '../../../test/support/osquery-client.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { createEnrollmentSecret } from './create-enrollment-secret.ts'
import { listEnrollmentSecrets } from './enrollment-queries.ts'
import { revokeEnrollmentSecret } from './revoke-enrollment-secret.ts'

const agents = testAgents()
const { database, enrollmentSecret } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const devices = () => database.db.selectFrom('devices').selectAll().orderBy('id').execute()

async function onlyDevice() {
  const [device, ...others] = await devices()
  assert.ok(device)
  assert.deepEqual(others, [])
  return device
}

const auditOf = async () => {
  const rows = await database.db.selectFrom('audit_logs').select('description').orderBy('id').execute()
  return rows.map(({ description }) => description)
}

const eventTypes = async () => {
  const rows = await database.db.selectFrom('events').select('type').orderBy('id').execute()
  return rows.map(({ type }) => type)
}

test('a machine becomes a device with its facts, targeted by the checks, and is announced', async () => {
  const { id: organizationId } = await make.organization()
  await make.check(organizationId, { platforms: ['linux'] })
  await make.check(organizationId, { platforms: ['darwin'] })
  const verdict = await agents.client().enroll(await enrollmentSecret(organizationId))
  assert.ok(verdict.accepted)
  assert.match(String(verdict.body['node_key']), /^[\w-]{43}$/)
  const device = await onlyDevice()
  assert.deepEqual(device, {
    organization_id: organizationId,
    id: device.id,
    name: 'ana-x1',
    device_type: 'Linux',
    form_factor: 'computer',
    operating_system: 'Debian GNU/Linux 12',
    hardware_model: '21CBCTO1WW',
    serial: 'PF3ABCDE',
    hardware_uuid: '4C4C4544-0042-3510-8056-B4C04F4D4E32',
    machine_id: null,
    host_identifier: '4C4C4544-0042-3510-8056-B4C04F4D4E32',
    agent_version: '5.23.1',
    note: null,
    product_image_url: null,
    registered_owner_id: null,
    registered_at: null,
    is_registered_by_owner: false,
    registration_suspended_at: null,
    authentication_mode: 'only_registered_owner',
    last_authenticated_at: null,
    auth_state: 'good',
    will_block_at: null,
    signalled_status: null,
    created_at: startOfTests,
    enrolled_at: startOfTests,
    deleted_at: null,
    is_named: false,
    identity_conflict_since: null,
    has_had_owner: false,
  })
  const results = await database.db.selectFrom('check_results').select('status').execute()
  assert.deepEqual(results, [{ status: 'pending' }])
  assert.deepEqual(await eventTypes(), ['devices.created'])
})

test('a device that enrolls with a person’s secret is registered to them', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  await agents.client().enroll(await enrollmentSecret(organizationId, ana.id))
  const device = await onlyDevice()
  assert.deepEqual([device.registered_owner_id, device.registered_at], [ana.id, startOfTests])
  assert.deepEqual([device.registration_suspended_at, device.is_registered_by_owner], [null, true])
  const person = await database.db.selectFrom('people').select('has_used_first_trust').executeTakeFirstOrThrow()
  assert.equal(person.has_used_first_trust, true)
  assert.deepEqual(await eventTypes(), ['devices.created', 'devices.registered'])
})

test('several secrets are alive at a time; a revoked, expired or unknown one enrolls nobody', async () => {
  const { id: organizationId } = await make.organization()
  const [first, second] = [await enrollmentSecret(organizationId), await enrollmentSecret(organizationId)]
  const expiring = { name: 'Short', expiresAt: '2026-11-20T10:05:00.000Z' }
  const short = await transact(database.db, (tx) =>
    createEnrollmentSecret(tx, agents.secrets, expiring, systemChange(organizationId, startOfTests)),
  )
  const enroll = (secret: string, serial: string) => agents.client().enroll(secret, { serial })
  assert.ok((await enroll(first, 'A1')).accepted)
  assert.ok((await enroll(second, 'A2')).accepted)
  assert.ok((await enroll(short.secret, 'A3')).accepted)
  agents.pass(300)
  const [{ id = '' } = {}] = await listEnrollmentSecrets(database.db, organizationId)
  await transact(database.db, (tx) => revokeEnrollmentSecret(tx, { id }, systemChange(organizationId, agents.now())))
  for (const secret of [first, short.secret, 'never given out', '']) {
    const verdict = await enroll(secret, 'A4')
    assert.deepEqual(
      [verdict.status, JSON.parse(verdict.text)],
      [401, { error: 'This enrollment secret is not valid', node_invalid: true }],
    )
  }
  assert.ok((await enroll(second, 'A4')).accepted)
  assert.deepEqual((await auditOf()).at(-1), 'Revoked the enrollment secret "Laptops".')
})

test('a secret cannot be given twice, and ends with its person', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  const wanted = { name: 'Ana', personId: ana.id, secret: 'correct horse battery' }
  const context = systemChange(organizationId, agents.now())
  const create = () => transact(database.db, (tx) => createEnrollmentSecret(tx, agents.secrets, wanted, context))
  await create()
  await assert.rejects(create(), { code: 'invalid' })
  await database.db.updateTable('people').set({ deprovisioned_at: startOfTests }).execute()
  assert.equal((await agents.client().enroll(wanted.secret)).accepted, false)
  await assert.rejects(create(), { code: 'not_found' })
})

test('secrets are sealed, and listed without what they hide', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId, { name: 'Ana', email: 'ana@acme.example' })
  const secret = await enrollmentSecret(organizationId, ana.id)
  const row = await database.db.selectFrom('enrollment_secrets').selectAll().executeTakeFirstOrThrow()
  assert.equal(row.sealed_secret.includes(secret), false)
  const opened = agents.secrets.unseal(row.sealed_secret, [organizationId, row.id, 'enrollment secret'])
  assert.equal(opened.toString(), secret)
  assert.deepEqual(await listEnrollmentSecrets(database.db, organizationId), [
    {
      id: row.id,
      name: 'Laptops',
      person_id: ana.id,
      person_name: 'Ana',
      person_email: 'ana@acme.example',
      created_at: startOfTests,
      expires_at: null,
      revoked_at: null,
    },
  ])
  assert.deepEqual(await auditOf(), ['Created the enrollment secret "Laptops" for "Ana" (ana@acme.example).'])
})

const matching: [title: string, first: Machine, second: Machine, isSame: boolean][] = [
  ['uuid and serial match', {}, { hostname: 'other-name' }, true],
  ['the uuid is written in small letters', {}, { uuid: '4c4c4544-0042-3510-8056-b4c04f4d4e32' }, true],
  ['the serial differs', {}, { serial: 'PF3OTHER' }, false],
  ['the serial is in another case', {}, { serial: 'pf3abcde', hostname: 'other-name' }, true],
  [
    'only the serial is known, in another case',
    { uuid: '', hostIdentifier: 'm1' },
    { uuid: '', serial: 'pf3abcde', hostIdentifier: 'm1' },
    true,
  ],
  ['the uuid differs', {}, { uuid: '4C4C4544-0042-3510-8056-000000000001' }, false],
  ['the serial is missing the second time', {}, { serial: '' }, true],
  ['the serial is missing the first time', { serial: '-1' }, {}, true],
  ['the uuid is missing the second time', {}, { uuid: '', hostIdentifier: 'x' }, false],
  ['the serial is missing both times', { serial: '' }, { serial: 'Default string' }, true],
  [
    'both are missing and the machine id matches',
    { uuid: '', serial: '', hostIdentifier: 'm1' },
    { uuid: '', serial: '0', hostIdentifier: 'm1' },
    true,
  ],
  [
    'both are missing and the machine id differs',
    { uuid: '', serial: '', hostIdentifier: 'm1' },
    { uuid: '', serial: '', hostIdentifier: 'm2' },
    false,
  ],
  [
    'nothing tells the machines apart',
    { uuid: '', serial: '', hostIdentifier: '' },
    { uuid: '', serial: '', hostIdentifier: '' },
    false,
  ],
]

for (const [title, first, second, isSame] of matching) {
  test(`a machine is ${isSame ? 'known again' : 'another device'} when ${title}`, async () => {
    const { id: organizationId } = await make.organization()
    const secret = await enrollmentSecret(organizationId)
    await agents.client().enroll(secret, first)
    agents.pass(3_600)
    await agents.client().enroll(secret, second)
    assert.equal((await devices()).length, isSame ? 1 : 2)
  })
}

test('a serial that is read later is kept, and brings no machine of another serial back', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  const enroll = async (machine: Machine) => {
    agents.pass(3_600)
    await agents.client().enroll(secret, machine)
    return (await devices()).map(({ serial }) => serial)
  }
  assert.deepEqual(await enroll({ serial: '' }), [null])
  assert.deepEqual(await enroll({ serial: 'PF3ABCDE' }), ['PF3ABCDE'])
  assert.deepEqual(await enroll({ serial: '' }), ['PF3ABCDE'])
  assert.deepEqual(await enroll({ serial: 'PF3OTHER' }), ['PF3ABCDE', 'PF3OTHER'])
  assert.deepEqual(await enroll({ serial: 'PF3OTHER' }), ['PF3ABCDE', 'PF3OTHER'])
})

/** Enrolls a laptop that stays in use, and a minute later one that says the same of its hardware or less. */
async function twoLaptops(first: Machine, second: Machine) {
  const { id: organizationId } = await make.organization()
  const [ana, ben] = [await make.person(organizationId), await make.person(organizationId)]
  const [hers, his] = [agents.client(), agents.client()]
  const enroll = {
    hers: async () =>
      hers.enroll(await enrollmentSecret(organizationId, ana.id), { hostname: 'ana', hostIdentifier: 'a', ...first }),
    his: async () =>
      his.enroll(await enrollmentSecret(organizationId, ben.id), { hostname: 'ben', hostIdentifier: 'b', ...second }),
  }
  await enroll.hers()
  agents.pass(30)
  await hers.config()
  agents.pass(30)
  assert.ok((await enroll.his()).accepted)
  return { ana, ben, hers, his, enroll }
}

const told = async () =>
  (await devices()).map((device) => ({
    name: device.name,
    serial: device.serial,
    owner: device.registered_owner_id,
    isSuspended: device.registration_suspended_at !== null,
  }))

const shared: [title: string, first: Machine, second: Machine, serials: (string | null)[]][] = [
  ['a UUID of one byte', { uuid: 'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE', serial: 'Default string' }, {}, [null, null]],
  [
    'a known UUID in another byte order',
    { uuid: '00020003-0004-0005-0006-000700080009', serial: '' },
    {},
    [null, null],
  ],
  ['no UUID at all', { uuid: 'Not Settable', serial: 'Default string' }, {}, [null, null]],
  ['a serial that only counts', { uuid: '', serial: 'SYS-1234567890' }, {}, [null, null]],
  ['a UUID that nobody knows to be shared', { serial: '' }, {}, [null, null]],
  ['a UUID, where the first has a serial', { serial: 'PF3ABCDE' }, { serial: 'Default string' }, ['PF3ABCDE', null]],
  ['a UUID, where the second has a serial', { serial: '1' }, { serial: 'PF3ABCDE' }, [null, 'PF3ABCDE']],
  ['a serial, without a UUID', { uuid: '', serial: 'PF3ABCDE' }, {}, ['PF3ABCDE', 'PF3ABCDE']],
]

for (const [title, first, second, serials] of shared) {
  test(`two laptops in use that share ${title} are two devices, also when they enroll again`, async () => {
    const { ana, ben, hers, his, enroll } = await twoLaptops(first, { ...first, ...second })
    const two = [
      { name: 'ana', serial: serials[0], owner: ana.id, isSuspended: false },
      { name: 'ben', serial: serials[1], owner: ben.id, isSuspended: false },
    ]
    assert.deepEqual(await told(), two)
    assert.ok((await hers.call('/distributed/read', { node_key: hers.nodeKey })).accepted)
    assert.ok((await his.config()).accepted)
    agents.pass(3_600)
    await hers.config()
    agents.pass(60)
    await enroll.his()
    assert.deepEqual(await told(), two)
    assert.ok((await hers.config()).accepted)
    agents.pass(3_600)
    await his.config()
    agents.pass(60)
    await enroll.hers()
    assert.deepEqual(await told(), two)
    assert.ok((await his.config()).accepted)
  })
}

test('a laptop that is silent is taken for the one that enrolls with its UUID, whatever that one is called', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  await agents.client().enroll(secret, { serial: '', hostIdentifier: 'before' })
  agents.pass(600)
  await agents.client().enroll(secret, { serial: '', hostIdentifier: 'after' })
  assert.equal((await onlyDevice()).host_identifier, 'after')
})

test('of laptops that share a UUID, the one in use is left to its agent', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  const enroll = (hostIdentifier: string) => agents.client().enroll(secret, { serial: '', hostIdentifier })
  await enroll('a')
  await enroll('b')
  agents.pass(3_600)
  await enroll('b')
  agents.pass(60)
  await enroll('c')
  assert.deepEqual(
    (await devices()).map(({ host_identifier: called }) => called),
    ['c', 'b'],
  )
})

test('a machine is never matched across organizations', async () => {
  const [one, other] = [await make.organization(), await make.organization()]
  await agents.client().enroll(await enrollmentSecret(one.id))
  await agents.client().enroll(await enrollmentSecret(other.id))
  assert.deepEqual(
    (await devices()).map((device) => device.organization_id),
    [one.id, other.id],
  )
})

test('enrolling again refreshes the facts, kills the earlier node key and is audited', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  const [before, after] = [agents.client(), agents.client()]
  await before.enroll(secret)
  agents.pass(3_600)
  const osVersion = { name: 'Debian GNU/Linux', version: '13 (trixie)', platform: 'debian' }
  await after.enroll(secret, { hostname: 'ana-new', osVersion })
  const device = await onlyDevice()
  assert.deepEqual(
    [device.name, device.operating_system, device.created_at, device.enrolled_at],
    ['ana-new', 'Debian GNU/Linux 13', startOfTests, agents.now()],
  )
  const refused = await before.config()
  assert.equal(refused.accepted, false)
  assert.deepEqual(JSON.parse(refused.text), { error: 'This node key is not valid', node_invalid: true })
  assert.ok((await after.config()).accepted)
  assert.deepEqual((await auditOf()).slice(1), [
    'The device "ana-new" enrolled again with the enrollment secret "Laptops".',
  ])
})

test('a shared secret and a known serial do not take over a registered device', async () => {
  const { id: organizationId } = await make.organization()
  const check = await make.check(organizationId, {
    sql_template: 'select 1',
    configuration: { remediation_strategy: 'block_immediately' },
  })
  const ana = await make.person(organizationId)
  const victim = agents.client()
  await victim.enroll(await enrollmentSecret(organizationId, ana.id))
  await victim.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }))
  assert.equal((await onlyDevice()).auth_state, 'blocked')

  agents.pass(30 * 86_400)
  const thief = agents.client()
  await thief.enroll(await enrollmentSecret(organizationId))
  const suspended = await onlyDevice()
  assert.equal(suspended.registered_owner_id, ana.id)
  assert.equal(suspended.registration_suspended_at, agents.now())
  const asked = await thief.answerAll(() => ({ rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }))
  assert.equal(asked, 1, check.slug)
  assert.equal((await onlyDevice()).auth_state, 'blocked', 'a suspended registration cannot improve the state')
  assert.match((await auditOf()).at(-1) ?? '', /^Suspended the registration of the device "ana-x1": /)
})

test('the owner’s own secret suspends the registration while the earlier agent is in use, and not after a silence', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  const secret = await enrollmentSecret(organizationId, ana.id)
  const first = agents.client()
  await first.enroll(secret)
  agents.pass(60)
  await first.config()
  agents.pass(590)
  const second = agents.client()
  await second.enroll(secret)
  assert.equal(
    (await onlyDevice()).registration_suspended_at,
    agents.now(),
    'seen ten seconds less than ten minutes ago',
  )

  await database.db.updateTable('devices').set({ registration_suspended_at: null }).execute()
  agents.pass(60)
  await second.config()
  agents.pass(600)
  await agents.client().enroll(secret)
  assert.equal((await onlyDevice()).registration_suspended_at, null)
})

test('what another process has written of the earlier agent counts as well', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  const secret = await enrollmentSecret(organizationId, ana.id)
  const elsewhere = await agents.another()
  const first = elsewhere.client()
  await first.enroll(secret)
  agents.pass(60)
  await first.config()
  await elsewhere.agents.flush()
  agents.pass(30)
  await agents.client().enroll(secret)
  assert.equal((await onlyDevice()).registration_suspended_at, agents.now())
})

test('the secret of another person neither takes the device nor leaves it as it was', async () => {
  const { id: organizationId } = await make.organization()
  const [ana, ben] = [await make.person(organizationId), await make.person(organizationId)]
  await agents.client().enroll(await enrollmentSecret(organizationId, ana.id))
  agents.pass(86_400)
  await agents.client().enroll(await enrollmentSecret(organizationId, ben.id))
  const device = await onlyDevice()
  assert.deepEqual([device.registered_owner_id, device.registration_suspended_at], [ana.id, agents.now()])
})

test('a device that belongs to nobody is registered when it enrolls again with a person’s secret', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  await agents.client().enroll(await enrollmentSecret(organizationId))
  agents.pass(60)
  await agents.client().enroll(await enrollmentSecret(organizationId, ana.id))
  const device = await onlyDevice()
  assert.deepEqual([device.registered_owner_id, device.registration_suspended_at], [ana.id, null])
  assert.equal(device.is_registered_by_owner, true)
})

test('an enrollment that arrives twice makes one device, undisputed, with one living key', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  const client = agents.client({ sendsTwice: true })
  await client.enroll(await enrollmentSecret(organizationId, ana.id))
  const device = await onlyDevice()
  assert.equal(device.registration_suspended_at, null)
  const keys = await database.db.selectFrom('node_key_lookups').select('device_id').execute()
  assert.deepEqual(keys, [{ device_id: device.id }])
})

test('many enrollments of one machine at once make one device', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  const [here, elsewhere] = [agents.server, await agents.another()]
  const verdicts = await Promise.all(
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? here : elsewhere).client().enroll(secret)),
  )
  assert.ok(verdicts.every(({ accepted }) => accepted))
  await onlyDevice()
  assert.equal((await eventTypes()).filter((type) => type === 'devices.created').length, 1)
})

test('a deleted device does not come back by enrolling: the machine is a new one', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  await agents.client().enroll(secret)
  await database.db.updateTable('devices').set({ deleted_at: startOfTests }).execute()
  await agents.client().enroll(secret)
  assert.deepEqual(
    (await devices()).map(({ deleted_at }) => deleted_at !== null),
    [true, false],
  )
})

test('an enrollment that fails half-way leaves nothing behind', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await enrollmentSecret(organizationId)
  const machine = enrollBody(secret, {})
  await database.db
    .insertInto('node_key_lookups')
    .values({
      lookup_hash: Buffer.alloc(32),
      organization_id: organizationId,
      device_id: (await make.device(organizationId)).id,
    })
    .execute()
  // Whatever the reason: here the table of the last step cannot be written.
  const { connection } = database
  await connection.executeScript('alter table node_key_lookups add constraint none_more check (false) not valid')
  try {
    const verdict = await agents.client().call('/enroll', machine)
    assert.deepEqual(
      [verdict.status, JSON.parse(verdict.text)],
      [500, { error: 'The request failed', node_invalid: false }],
    )
    assert.equal((await devices()).length, 1)
    assert.deepEqual(await eventTypes(), [])
  } finally {
    await connection.executeScript('alter table node_key_lookups drop constraint none_more')
  }
})
