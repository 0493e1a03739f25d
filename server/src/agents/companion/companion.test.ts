import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { type AgentServer, testAgents } from '../../../test/support/agent-server.ts'
import { type CompanionKeys, companionClient, companionMachine } from '../../../test/support/companion-client.ts'
import { makeIn } from '../../../test/support/make.ts'
import { transact } from '../../base/db/transact.ts'
import { requestRefresh } from '../../compliance/results/request-refresh.ts'
import { linkQueryName } from '../protocol/take-link-files.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }

async function newCompanion(server: AgentServer = agents.server, copied?: CompanionKeys) {
  const companion = await companionClient(server.origin, copied)
  companion.setTime(agents.now())
  return companion
}

/** A device with an osquery node, and the companion of the same machine, not linked yet. */
async function machineWithBoth() {
  const { id: organizationId } = await make.organization()
  const check = await make.check(organizationId, { sql_template: 'select 1 as number' })
  const { client, deviceId } = await agents.enrolled(organizationId, machine)
  const companion = await newCompanion()
  const secret = await agents.enrollmentSecret(organizationId)
  const { body } = await companion.enroll(secret)
  return { organizationId, client, deviceId, check, companion, secret, enrolled: body }
}

async function reportLink(client: ReturnType<typeof agents.client>, name: string | undefined) {
  const queries: Record<string, string> = (await client.read()).queries
  assert.match(queries[linkQueryName] ?? '', /path like '\/var\/lib\/muster-companion\/link\/%'/)
  await client.write({ [linkQueryName]: { rows: [{ path: `/var/lib/muster-companion/link/${name}` }] } })
}

/** The same, linked by the file that the node reports. */
async function linkedMachine() {
  const both = await machineWithBoth()
  await reportLink(both.client, both.enrolled.link?.name)
  return both
}

const requestCheck = (organizationId: string, deviceId: string, checkId: string) =>
  transact(database.db, (tx) => requestRefresh(tx, { organizationId, deviceId, checkId, now: agents.now() }))

test('a companion speaks for a device only after the osquery node of the device has reported its file', async () => {
  const { client, companion, enrolled } = await machineWithBoth()
  assert.equal(enrolled.status, 'linking')
  assert.equal(enrolled.origin, 'https://muster.example.com')
  assert.equal(enrolled.ports.length, 6)
  assert.equal(enrolled.challenge_keys.keys.length, 1)
  await reportLink(client, 'a-file-of-somebody-else')
  assert.equal((await companion.contact()).body.status, 'linking')
  agents.pass(20)
  await reportLink(client, enrolled.link?.name)
  const { body } = await companion.contact()
  assert.deepEqual([body.status, body.link], ['linked', null])
  agents.pass(60)
  assert.equal(Object.hasOwn((await client.read()).queries, linkQueryName), false)
})

test('a key under the serial of a colleague is not linked, since the node of that machine never reports its file', async () => {
  const { deviceId } = await linkedMachine()
  const stranger = await newCompanion()
  const { id: organizationId } = await database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await stranger.enroll(await agents.enrollmentSecret(organizationId))
  for (let contacts = 0; contacts < 3; contacts += 1) {
    assert.equal((await stranger.contact()).body.status, 'linking')
    agents.pass(20)
  }
  const keys = await database.db
    .selectFrom('companion_keys')
    .select(['status', 'device_id'])
    .orderBy('status')
    .execute()
  assert.deepEqual(keys, [
    { status: 'linked', device_id: deviceId },
    { status: 'linking', device_id: deviceId },
  ])
})

test('a bundled companion is linked by the node key of its own process, and not by a made-up one', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const client = agents.client()
  const verdict = await client.enroll(secret, machine)
  const nodeKey = verdict.accepted ? verdict.body['node_key'] : undefined
  const companion = await newCompanion()
  assert.equal((await companion.enroll(secret, { is_bundled: true, node_key: nodeKey })).body.status, 'linked')
  const impostor = await newCompanion()
  assert.equal((await impostor.enroll(secret, { is_bundled: true, node_key: 'made up' })).body.status, 'linking')
})

test('what somebody waits for is handed out, and its result is recorded at once and once', async () => {
  const both = await linkedMachine()
  const { check } = both
  const wanted = { organizationId: both.organizationId, deviceId: both.deviceId }
  agents.pass(60)
  const waiting = both.companion.contact({ wait_seconds: 25 })
  await requestCheck(wanted.organizationId, wanted.deviceId, check.id)
  const { queries } = (await waiting).body
  assert.deepEqual(
    queries.map(({ sql }) => sql),
    ['select 1 as number'],
  )
  assert.deepEqual((await both.companion.contact()).body.queries, [], 'handed out once')
  const name = queries[0]?.name ?? ''
  assert.equal((await both.companion.results([{ name, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])).status, 200)
  const status = () =>
    database.db.selectFrom('check_results').select('status').where('check_id', '=', check.id).execute()
  assert.deepEqual(await status(), [{ status: 'failing' }])
  assert.deepEqual(await database.db.selectFrom('check_refreshes').selectAll().execute(), [])
  await both.companion.results([{ name, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  await both.companion.results([{ name: `${name.slice(0, -1)}x`, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  assert.deepEqual(await status(), [{ status: 'failing' }])
})

test('a result that is older than the recorded one is dropped, and so is a name that another process has taken', async () => {
  const both = await linkedMachine()
  const { check, companion } = both
  const statusNow = async () =>
    (await database.db.selectFrom('check_results').select('status').where('check_id', '=', check.id).executeTakeFirst())
      ?.status
  const handedOut = async () => {
    agents.pass(60)
    await requestCheck(both.organizationId, both.deviceId, check.id)
    return (await companion.contact()).body.queries[0]?.name ?? ''
  }
  const earlier = await handedOut()
  const later = await handedOut()
  await companion.results([{ name: later, rows: [{ KOLIDE_CHECK_STATUS: 'PASS' }] }])
  assert.equal(await statusNow(), 'passing')
  await companion.results([{ name: earlier, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])
  assert.equal(await statusNow(), 'passing')
  const elsewhere = await newCompanion(await agents.another(), companion.keys)
  assert.equal((await elsewhere.results([{ name: later, rows: [{ KOLIDE_CHECK_STATUS: 'FAIL' }] }])).status, 200)
  assert.equal(await statusNow(), 'passing')
})

test('a request wakes a companion that waits at another process', async () => {
  const both = await linkedMachine()
  const { check } = both
  agents.pass(60)
  const other = await agents.another()
  const companion = await newCompanion(other, both.companion.keys)
  companion.holdEpoch(both.companion.epoch())
  const waiting = companion.contact({ wait_seconds: 25 })
  await requestCheck(both.organizationId, both.deviceId, check.id)
  assert.equal((await waiting).body.queries.length, 1)
})

test('a copied key is found out once both machines have renewed it, and the registration is in doubt', async () => {
  const both = await linkedMachine()
  const person = await make.person(both.organizationId)
  await database.db
    .updateTable('devices')
    .set({ registered_owner_id: person.id, registered_at: agents.now() })
    .execute()
  const copy = await newCompanion(agents.server, both.companion.keys)
  copy.holdEpoch(both.companion.epoch())
  for (const machine of [both.companion, copy]) {
    const now = agents.pass(3_700)
    for (const one of [both.companion, copy]) one.setTime(now)
    assert.equal((await machine.contact()).body.status, 'linked')
  }
  assert.equal((await both.companion.contact()).body.status, 'linking')
  const device = await database.db.selectFrom('devices').select('registration_suspended_at').executeTakeFirstOrThrow()
  assert.notEqual(device.registration_suspended_at, null)
})

test('a new key of a linked machine takes the place of the first, and a registration is in doubt then', async () => {
  const both = await linkedMachine()
  const person = await make.person(both.organizationId)
  await database.db
    .updateTable('devices')
    .set({ registered_owner_id: person.id, registered_at: agents.now() })
    .execute()
  const reinstalled = await newCompanion()
  const { body } = await reinstalled.enroll(both.secret)
  agents.pass(20)
  await reportLink(both.client, body.link?.name)
  assert.equal((await reinstalled.contact()).body.status, 'suspended')
  assert.equal((await both.companion.contact()).body.error?.code, 'unknown_key')
})

test('requests that are forged, repeated, for another server or of unknown keys are refused', async () => {
  const both = await linkedMachine()
  const { companion } = both
  const fields = { agent_version: '1', port: null, wait_seconds: 0, epoch: companion.epoch() }
  const code = async (request: unknown) => (await companion.post('contact', request)).body.error?.code
  const once = await companion.sign('contact', fields)
  assert.equal(await code(once), undefined)
  assert.equal(await code(once), 'repeated_request')
  assert.equal(await code(`${once.slice(0, -8)}AAAAAAAA`), 'invalid_signature')
  assert.equal(
    await code(await companion.sign('contact', { ...fields, aud: 'https://evil.example/api/v1/companion/contact' })),
    'invalid_signature',
  )
  assert.equal(await code(await companion.sign('results', fields)), 'invalid_signature')
  assert.equal(await code(await companion.sign('contact', { ...fields, iss: 'somebody' })), 'invalid_signature')
  assert.equal(await code(await companion.sign('contact', fields, { typ: 'jwt' })), 'invalid_request')
  assert.equal(
    await code(`${Buffer.from('{"alg":"none","typ":"muster-companion+jwt"}').toString('base64url')}..`),
    'invalid_request',
  )
  assert.equal(await code(7), 'invalid_request')
  const unknown = await newCompanion()
  assert.equal((await unknown.contact()).body.error?.code, 'unknown_key')
  assert.equal((await unknown.enroll('not a secret')).body.error?.code, 'unknown_secret')
})

test('a body that is too large, or comes without its length, is refused before it is read', async () => {
  const { origin } = agents.server
  const post = (body: NonNullable<RequestInit['body']>, path = 'contact') =>
    fetch(`${origin}/api/v1/companion/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
  assert.equal((await post('x'.repeat(20_000))).status, 413)
  assert.equal((await post(new Blob(['{}']).stream())).status, 400)
})

test('the key of one organization does not enroll in another', async () => {
  const { companion } = await linkedMachine()
  const { id } = await make.organization()
  const { body } = await companion.enroll(await agents.enrollmentSecret(id))
  assert.equal(body.error?.code, 'key_in_use')
})
