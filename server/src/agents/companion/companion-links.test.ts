import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { companionClient, companionMachine } from '../../../test/support/companion-client.ts'
import { reportLinkFiles } from '../../../test/support/link-report.ts'
import { makeIn } from '../../../test/support/make.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const machine = { uuid: companionMachine.hardware_uuid, serial: companionMachine.hardware_serial }

const newCompanion = () => companionClient(agents.server.origin)

type Companion = Awaited<ReturnType<typeof newCompanion>>
type Client = ReturnType<typeof agents.client>

/** Whether the node is asked for link files; it answers with this one. */
const report = (client: Client, name: string | undefined): Promise<boolean> =>
  reportLinkFiles(client, name === undefined ? [] : [name])

/** A registered device with an osquery node and a linked companion. */
async function linkedMachine() {
  const { id: organizationId } = await make.organization()
  const { client, deviceId } = await agents.enrolled(organizationId, machine)
  const companion = await newCompanion()
  const secret = await agents.enrollmentSecret(organizationId)
  const { body } = await companion.enroll(secret)
  await report(client, body.link?.name)
  const person = await make.person(organizationId)
  await database.db
    .updateTable('devices')
    .set({ registered_owner_id: person.id, registered_at: agents.now() })
    .where('id', '=', deviceId)
    .execute()
  return { organizationId, client, deviceId, companion, secret }
}

const suspendedAt = async (deviceId: string) =>
  (
    await database.db
      .selectFrom('devices')
      .select('registration_suspended_at')
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()
  ).registration_suspended_at

const auditsOfLinks = () =>
  database.db.selectFrom('audit_logs').select('id').where('action', '=', 'device.companion_linked').execute()

test('a link is proved again each day, while the key counts, and says nothing new in the audit log', async () => {
  const { client, companion } = await linkedMachine()
  const keep = async () => {
    // A companion at rest comes every five minutes.
    for (let minutes = 0; minutes < 24 * 60; minutes += 25) {
      agents.pass(25 * 60)
      await companion.checkIn()
    }
  }
  assert.equal((await companion.checkIn()).body.link, null)
  await keep()
  const { body } = await companion.checkIn()
  assert.equal(body.status, 'linked')
  assert.notEqual(body.link, null)
  assert.equal(await report(client, body.link?.name), true)
  const settled = (await companion.checkIn()).body
  assert.deepEqual([settled.status, settled.link], ['linked', null])
  assert.equal((await auditsOfLinks()).length, 1)
  await keep()
  assert.notEqual((await companion.checkIn()).body.link, null, 'the next day again')
})

test('a key whose file the device does not report any more stops speaking for it within an hour', async () => {
  const { client, companion, deviceId } = await linkedMachine()
  agents.pass(86_400)
  const { body } = await companion.checkIn()
  for (let minutes = 0; minutes < 60; minutes += 20) {
    assert.equal((await companion.checkIn()).body.status, 'linked')
    assert.equal(await report(client, undefined), true)
    agents.pass(20 * 60)
  }
  assert.equal((await companion.checkIn()).body.status, 'linking')
  assert.equal(await suspendedAt(deviceId), null)
  agents.pass(60)
  await report(client, body.link?.name)
  assert.equal((await companion.checkIn()).body.status, 'linked', 'and does so again once it is reported')
})

test('a machine that has slept through its proof is asked again instead', async () => {
  const { companion } = await linkedMachine()
  agents.pass(86_400)
  const asked = (await companion.checkIn()).body.link?.name
  agents.pass(3 * 86_400)
  const { status, link } = (await companion.checkIn()).body
  assert.equal(status, 'linked')
  assert.notEqual(link?.name, asked)
})

test('a new key for which the linked one has signed keeps the registration', async () => {
  const { client, companion, deviceId, secret } = await linkedMachine()
  const next = await newCompanion()
  const { body } = await next.enroll(secret, { replaces: await companion.vouchFor(next.kid) })
  assert.equal(body.status, 'linking', 'its file has to be reported all the same')
  assert.equal((await companion.checkIn()).body.status, 'linked', 'the earlier one counts until then')
  agents.pass(20)
  await report(client, body.link?.name)
  assert.equal((await next.checkIn()).body.status, 'linked')
  assert.equal(await suspendedAt(deviceId), null)
  assert.equal((await companion.checkIn()).body.error?.code, 'unknown_key')
})

test('the word of any other key, or about anything else, does not keep the registration', async () => {
  const foreign = await linkedMachine()
  const unlinked = await newCompanion()
  const statements: ((first: Companion, next: Companion) => Promise<unknown>)[] = [
    async (first) => first.vouchFor('another-kid'),
    async (first, next) => first.vouchFor(next.kid, { iss: next.kid }),
    async (first, next) => first.vouchFor(next.kid, { aud: 'https://evil.example/api/v1/companion/enroll' }),
    async (first, next) => first.vouchFor(next.kid, { aud: `${agents.server.origin}/api/v1/companion/check_in` }),
    async (first, next) => first.vouchFor(next.kid, {}, { typ: 'dpop+jwt' }),
    async (first, next) => next.vouchFor(next.kid, { iss: first.kid }, { kid: first.kid }),
    async (_first, next) => next.vouchFor(next.kid),
    async (_first, next) => unlinked.vouchFor(next.kid),
    async (_first, next) => foreign.companion.vouchFor(next.kid),
    async (first, next) => (await first.vouchFor(next.kid)).replace(/\.[^.]*$/, '.'),
    async () => 7,
    async () => 'x'.repeat(5_000),
  ]
  for (const [index, statement] of statements.entries()) {
    const { client, companion, deviceId, secret } = await linkedMachine()
    await unlinked.enroll(secret)
    const next = await newCompanion()
    const { body } = await next.enroll(secret, { replaces: await statement(companion, next) })
    agents.pass(20)
    await report(client, body.link?.name)
    assert.equal((await next.checkIn()).body.status, 'suspended', String(index))
    assert.notEqual(await suspendedAt(deviceId), null)
  }
})

test('a key that enrolls again to hide that it was linked is replaced with doubt all the same', async () => {
  const { client, companion, deviceId, secret } = await linkedMachine()
  await companion.enroll(secret)
  const next = await newCompanion()
  const { body } = await next.enroll(secret)
  agents.pass(20)
  await report(client, body.link?.name)
  assert.equal((await next.checkIn()).body.status, 'suspended')
  assert.notEqual(await suspendedAt(deviceId), null)
})

test('a companion asks the node that has its serial, where others share its UUID or nothing of it counts', async () => {
  const secondSerial = 'PF-0THER001'
  for (const uuid of [companionMachine.hardware_uuid, 'FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE']) {
    const { id: organizationId } = await make.organization()
    const { client } = await agents.enrolled(organizationId, { ...machine, uuid })
    const other = await agents.enrolled(organizationId, { uuid, serial: secondSerial, hostIdentifier: 'other' })
    const companion = await newCompanion()
    const { body } = await companion.enroll(await agents.enrollmentSecret(organizationId), { hardware_uuid: uuid })
    assert.equal(await report(other.client, body.link?.name), false)
    assert.equal(await report(client, body.link?.name), true)
    assert.equal((await companion.checkIn()).body.status, 'linked')
  }
})
