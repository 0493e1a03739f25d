import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { addPerson } from '../../inventory/people/add-person.ts'
import { deprovisionPerson } from './deprovision-person.ts'

const app = testApp()
const make = makeIn(app)
const laterOn = '2026-11-21T09:00:00.000Z'

beforeEach(() => app.reset())

const deprovision = (personId: string, organizationId = app.tenant.organizationId) =>
  transact(app.db, (tx) => deprovisionPerson(tx, { personId }, systemChange(organizationId, laterOn)))

const idsOf = async (url: string): Promise<string[]> =>
  (await app.ask('GET', url)).body.data.map((row: { id: string }) => row.id)

const audits = async (): Promise<string[]> =>
  (await app.ask('GET', '/audit_logs?query=description~Grace')).body.data.map(
    (entry: { description: string }) => entry.description,
  )

test('deprovisioning ends the registrations and moves the person to the other list', async () => {
  const { organizationId } = app.tenant
  const grace = await make.person(organizationId, {
    name: 'Grace',
    email: 'grace@acme.example',
    has_used_first_trust: true,
  })
  const mac = await make.device(organizationId, { name: 'Mac', registered_owner_id: grace.id })
  const phone = await make.device(organizationId, {
    name: 'Phone',
    device_type: 'iOS',
    form_factor: 'phone',
    registered_owner_id: grace.id,
  })
  const bystander = await make.device(organizationId, {
    registered_owner_id: (await make.person(organizationId)).id,
  })
  await deprovision(grace.id)
  assert.equal((await idsOf('/people')).includes(grace.id), false)
  const { body } = await app.ask('GET', '/deprovisioned_people')
  assert.deepEqual(
    body.data.map((row: { id: string; has_registered_device: boolean }) => [row.id, row.has_registered_device]),
    [[grace.id, false]],
  )
  const device = (await app.ask('GET', `/devices/${mac.id}`)).body
  assert.deepEqual([device.registered_owner_info, device.registered_at], [{ identifier: '', link: null }, null])
  assert.equal((await app.ask('GET', `/devices/${phone.id}`)).status, 404, 'a phone goes with its registration')
  assert.equal((await app.ask('GET', `/devices/${bystander.id}`)).body.registered_at, bystander.registered_at)
  assert.deepEqual(await audits(), [
    'Deprovisioned "Grace" (grace@acme.example).',
    'Ended the registration of the device "Phone" to "Grace" and deleted the device.',
    'Ended the registration of the device "Mac" to "Grace".',
  ])
})

test('losing the owner says nothing about compliance', async () => {
  const { organizationId } = app.tenant
  const grace = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: grace.id })
  const check = await make.check(organizationId, { configuration: { remediation_strategy: 'block_immediately' } })
  const issue = await make.issue({ device, check })
  await app.db.deleteFrom('events').execute()
  await deprovision(grace.id)
  const events = await app.db.selectFrom('events').select(['type', 'data']).execute()
  assert.equal(events.filter(({ data }) => 'compliance' in data).length, 0)
  const after = await app.db.selectFrom('devices').select(['auth_state', 'signalled_status']).execute()
  assert.deepEqual(after, [{ auth_state: 'good', signalled_status: 'not-compliant' }])
  const { body } = await app.ask('GET', `/issues/${issue.id}`)
  assert.deepEqual([body.resolved_at, body.blocks_device_at], [null, null])
})

test('deprovisioning someone again does nothing', async () => {
  const grace = await make.person(app.tenant.organizationId, { name: 'Grace', email: 'grace@acme.example' })
  await deprovision(grace.id)
  await deprovision(grace.id)
  assert.deepEqual(await audits(), ['Deprovisioned "Grace" (grace@acme.example).'])
})

test('nobody can deprovision people of another organization', async () => {
  const other = await app.addTenant()
  const stranger = await make.person(other.organizationId)
  for (const id of [stranger.id, '987654321']) {
    await assert.rejects(deprovision(id), (error) => error instanceof ServiceError && error.code === 'not_found')
  }
  const row = await app.db.selectFrom('people').select('deprovisioned_at').executeTakeFirstOrThrow()
  assert.equal(row.deprovisioned_at, null)
})

test('adding the person again brings them back with their groups and without devices, to be trusted on first use', async () => {
  const { organizationId } = app.tenant
  const grace = await make.person(organizationId, { email: 'grace@acme.example', has_used_first_trust: true })
  const group = await make.personGroup(organizationId, { personIds: [grace.id] })
  await make.device(organizationId, { registered_owner_id: grace.id })
  await deprovision(grace.id)
  const again = { organizationId, name: 'Grace', email: 'GRACE@acme.example', now: laterOn }
  const id = await transact(app.db, (tx) => addPerson(tx, again))
  assert.equal(id, grace.id)
  assert.deepEqual(await idsOf('/people'), [grace.id])
  assert.deepEqual(await idsOf('/deprovisioned_people'), [])
  assert.deepEqual(await idsOf(`/person_groups/${group.id}/people`), [grace.id])
  assert.deepEqual(await idsOf(`/people/${grace.id}/registered_devices`), [])
  const { has_used_first_trust } = await app.db
    .selectFrom('people')
    .select('has_used_first_trust')
    .executeTakeFirstOrThrow()
  assert.equal(has_used_first_trust, false)
})
