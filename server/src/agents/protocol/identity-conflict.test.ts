import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testAgents } from '../../../test/support/agent-server.ts'
import { makeIn } from '../../../test/support/make.ts'
import {
  endQuietConflicts,
  resolveIdentityConflict,
} from '../../administration/registrations/end-identity-conflicts.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'

const agents = testAgents()
const { database } = agents
const make = makeIn(database)

beforeEach(() => agents.reset())

const onlyDevice = () => database.db.selectFrom('devices').selectAll().executeTakeFirstOrThrow()
const auditOf = async () =>
  (await database.db.selectFrom('audit_logs').select('description').orderBy('id').execute()).map(
    (row) => row.description,
  )
const eventsOf = async (type: string) =>
  (await database.db.selectFrom('events').select('type').where('type', '=', type).execute()).length

type Client = ReturnType<typeof agents.client>

/** Two machines with one identity, as clones have; each enrolls again as soon as its node key is refused. */
async function fight(minutes: number, secret: string, clones: readonly Client[]) {
  let taken = 0
  let refused = 0
  for (let second = 0; second < minutes * 60; second += 4) {
    agents.pass(2)
    for (const clone of clones) {
      if (clone.nodeKey !== '' && (await clone.config()).accepted) continue
      if ((await clone.enroll(secret)).accepted) taken += 1
      else refused += 1
      agents.pass(1)
      if (clone.nodeKey !== '') await clone.config()
    }
  }
  return { taken, refused }
}

test('two machines with one identity cool down: one stays in service, and the device says so', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const clones = [agents.client(), agents.client()]
  const { taken, refused } = await fight(11, secret, clones)
  assert.ok(taken <= 5, `${taken} enrollments were taken`)
  assert.ok(refused > 50)
  assert.equal(clones.filter(({ nodeKey }) => nodeKey !== '').length, 1, 'one of them stays in service')
  assert.notEqual((await onlyDevice()).identity_conflict_since, null)
  assert.equal(await eventsOf('devices.identity_conflict'), 1)
  const audit = await auditOf()
  assert.ok(audit.length <= 8, audit.join('\n'))
  assert.equal(audit.filter((entry) => entry.startsWith('Found two agents')).length, 1)
})

test('a refused enrollment is told why, keeps the key that is in use, and is counted in the next entry', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const [one, other] = [agents.client(), agents.client()]
  for (const clone of [one, other, one]) {
    agents.pass(5)
    await clone.enroll(secret)
    agents.pass(5)
    await clone.config()
  }
  const refusal = await other.enroll(secret)
  assert.equal(refusal.status, 409)
  const { node_invalid: isInvalid } = JSON.parse(refusal.text)
  assert.equal(isInvalid, true)
  assert.ok((await one.config()).accepted)
  for (let attempt = 0; attempt < 3; attempt += 1) await other.enroll(secret)
  for (let waited = 0; waited < 600; waited += 300) {
    agents.pass(300)
    await one.config()
  }
  assert.ok((await other.enroll(secret)).accepted)
  assert.match((await auditOf()).at(-1) ?? '', /enrolled again with .*; 4 enrollments were refused before\.$/)
})

test('a laptop whose earlier agent is silent is never refused, also during a conflict', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const clones = [agents.client(), agents.client()]
  await fight(3, secret, clones)
  agents.pass(601)
  assert.ok((await agents.client().enroll(secret)).accepted)
})

test('a laptop that is installed again again and again, without use in between, is no conflict', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  for (let attempt = 0; attempt < 10; attempt += 1) {
    agents.pass(16)
    assert.ok((await agents.client().enroll(secret)).accepted)
  }
  assert.equal((await onlyDevice()).identity_conflict_since, null)
})

test('a conflict ends when an administrator resolves it, or after a quiet day', async () => {
  const { id: organizationId } = await make.organization()
  const secret = await agents.enrollmentSecret(organizationId)
  const clones = [agents.client(), agents.client()]
  await fight(3, secret, clones)
  const device = await onlyDevice()
  const resolution = { deviceId: device.id }
  await transact(database.db, (tx) =>
    resolveIdentityConflict(tx, resolution, systemChange(organizationId, agents.now())),
  )
  assert.equal((await onlyDevice()).identity_conflict_since, null)
  const waiting = clones.find(({ nodeKey }) => nodeKey === '')
  assert.ok((await waiting?.enroll(secret))?.accepted, 'what is resolved refuses nobody')

  await fight(3, secret, clones)
  assert.notEqual((await onlyDevice()).identity_conflict_since, null)
  await endQuietConflicts(database.db, agents.pass(86_000))
  assert.notEqual((await onlyDevice()).identity_conflict_since, null)
  await endQuietConflicts(database.db, agents.pass(86_400))
  assert.equal((await onlyDevice()).identity_conflict_since, null)
  assert.match((await auditOf()).at(-1) ?? '', /^Ended the identity conflict of the device "ana-x1": /)
  assert.deepEqual(await database.db.selectFrom('device_reenrollments').selectAll().execute(), [])
})

test('a suspended registration is announced once, with its reason', async () => {
  const { id: organizationId } = await make.organization()
  const ana = await make.person(organizationId)
  await agents.client().enroll(await agents.enrollmentSecret(organizationId, ana.id))
  agents.pass(86_400)
  const shared = await agents.enrollmentSecret(organizationId)
  for (let attempt = 0; attempt < 2; attempt += 1) await agents.client().enroll(shared)
  const events = await database.db
    .selectFrom('events')
    .select(['device_id', 'data'])
    .where('type', '=', 'devices.registration_suspended')
    .execute()
  const { id } = await onlyDevice()
  const reason = 'It enrolled again with a secret that is not bound to its owner.'
  assert.deepEqual(events, [{ device_id: id, data: { deviceName: 'ana-x1', reason } }])
})
