import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'
import { addOrRestorePerson } from '../../administration/people/add-or-restore-person.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const { ask, begin, addToken } = scimClient(app)

beforeEach(async () => {
  await app.reset()
  app.setNow('2026-11-20T10:00:00.000Z')
  await begin()
})

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ana = 'ana@acme.example'
/** What Microsoft Entra makes of the user name of someone it has deleted. */
const tombstone = `0a21f0f28d2a4f8ebf987363c4aed4ef${ana}`
const later = `77f0c1f28d2a4f8ebf987363c4aed4ef${ana}`
const personTaken = scimError(409, 'There is a person with this e-mail address already.', 'uniqueness')
const emailTaken = scimError(409, 'There is a user with this e-mail address already.', 'uniqueness')

const post = (userName: string, changes = {}, token?: string) =>
  ask('POST', '/Users', { body: { schemas: [userUrn], userName, ...changes }, ...(token && { token }) })

const patch = (id: string, values: Record<string, unknown>) => {
  const operations = Object.entries(values).map(([path, value]) => ({ op: 'Replace', path, value }))
  return ask('PATCH', `/Users/${id}`, { body: { schemas: [patchUrn], Operations: operations } })
}

const softDelete = (id: string, userName = tombstone) => patch(id, { active: 'False', userName })
const restore = (id: string, userName = ana) => patch(id, { active: 'True', userName })

/** Somebody with this user name, who has left. */
async function leaver(userName: string, changes = {}): Promise<string> {
  const { id } = (await post(userName, changes)).body
  assert.equal((await softDelete(id)).status, 200)
  return id
}

/** By hand, as `muster people add` does. */
const addByHand = (email: string) =>
  transact(app.db, (tx) =>
    addOrRestorePerson(
      tx,
      { name: 'Ana', email, requirePower: () => {} },
      systemChange(app.tenant.organizationId, app.now()),
    ),
  )

const switchScim = (isOn: boolean) =>
  transact(app.db, (tx) =>
    setFeature(tx, { feature: 'scim', isOn }, systemChange(app.tenant.organizationId, app.now())),
  )

const addressesIn = async (url: string): Promise<[id: string, email: string][]> =>
  (await app.ask('GET', url)).body.data
    .map((person: { id: string; email: string }) => [person.id, person.email])
    .sort(([one]: [string], [other]: [string]) => Number(one) - Number(other))

const present = () => addressesIn('/people')
const gone = () => addressesIn('/deprovisioned_people')

const audits = async (count: number): Promise<string[]> =>
  (await app.ask('GET', `/audit_logs?per_page=${count}`)).body.data
    .map((entry: { description: string }) => entry.description)
    .reverse()

test('who left under the user name of a deleted user stays the same person by hand, and is restored', async () => {
  const id = await leaver(ana)
  await assert.rejects(addByHand(ana), { code: 'person_provided' })
  for (let cycle = 0; cycle < 2; cycle += 1) {
    const { status, body } = await restore(id)
    assert.deepEqual([status, body.userName, body.active], [200, ana, true])
  }
  assert.deepEqual([await present(), await gone()], [[[id, ana]], []])
})

test('who leaves keeps the address, and the identity provider is answered what it sent', async () => {
  const { id } = (await post(ana, { displayName: 'Ana' })).body
  const left = await softDelete(id)
  assert.deepEqual([left.status, left.body.active, left.body.userName], [200, false, tombstone])
  assert.deepEqual((await ask('GET', `/Users/${id}`)).body, left.body)
  assert.deepEqual(await gone(), [[id, ana]])
  assert.deepEqual(await audits(2), [
    `Deprovisioned "Ana" (${ana}).`,
    `Changed the SCIM user "${ana}": userName from "${ana}" to "${tombstone}".`,
  ])
  const back = await restore(id)
  assert.deepEqual([back.status, back.body.active, back.body.userName], [200, true, ana])
  assert.deepEqual([await present(), await gone()], [[[id, ana]], []])
})

test('who got the address of a deleted user before it was kept has their own again when restored', async () => {
  const id = await leaver(ana)
  await app.db.updateTable('people').set({ email: tombstone }).where('id', '=', id).execute()
  assert.equal((await softDelete(id)).status, 200)
  assert.deepEqual(await gone(), [[id, tombstone]])
  assert.equal((await restore(id)).status, 200)
  assert.deepEqual(await present(), [[id, ana]])
})

test('a repeat writes nothing, also for someone who keeps an address', async () => {
  const id = await leaver(ana)
  const before = await rowVersions(app.db)
  await softDelete(id)
  await patch(id, { userName: tombstone })
  await patch(id, { active: false })
  const put = await ask('PUT', `/Users/${id}`, { body: { schemas: [userUrn], userName: tombstone } })
  assert.deepEqual([put.status, put.body.meta.version], [200, 'W/"2"'])
  assert.deepEqual(await rowVersions(app.db), before)
})

test('what the identity provider says of the address of someone who is out counts when they are back', async () => {
  const { id } = (await post(ana)).body
  await patch(id, { active: false })
  assert.equal((await patch(id, { userName: 'ana.b@acme.example', displayName: 'Ana B' })).status, 200)
  const kept = await app.db.selectFrom('people').select(['name', 'email', 'usernames']).executeTakeFirstOrThrow()
  assert.deepEqual(kept, { name: 'Ana B', email: ana, usernames: ['ana.b@acme.example'] })
  assert.equal((await patch(id, { emails: [{ value: 'mailto:ana@acme.example' }] })).status, 400)
  assert.equal((await patch(id, { active: true })).status, 200)
  assert.deepEqual(await present(), [[id, 'ana.b@acme.example']])
})

test('a new user gets an address that a leaver keeps, as a person of their own', async () => {
  const old = await leaver(ana, { displayName: 'Ana' })
  const made = await post('ANA@acme.example', { displayName: 'Ana Two' })
  assert.equal(made.status, 201)
  assert.deepEqual([await present(), await gone()], [[[made.body.id, 'ANA@acme.example']], [[old, tombstone]]])
  assert.deepEqual(await audits(2), [
    `Changed the e-mail address from ${ana} to ${tombstone} of the person "Ana".`,
    'Added the person "Ana Two" (ANA@acme.example) for the SCIM user "ANA@acme.example".',
  ])
  const released = await app.db
    .selectFrom('audit_logs')
    .select(['actor_name', 'changes'])
    .where('action', '=', 'person.updated')
    .execute()
  const changes = [{ field: 'email', from: ana, to: tombstone }]
  assert.deepEqual(released, [{ actor_name: 'Okta (SCIM)', changes }])
  const taken = await patch(old, { active: 'True', emails: [{ value: ana }] })
  assert.deepEqual([taken.status, taken.body], [409, personTaken])
  assert.equal((await restore(old, 'ana.one@acme.example')).status, 200)
  assert.deepEqual(await present(), [
    [old, 'ana.one@acme.example'],
    [made.body.id, 'ANA@acme.example'],
  ])
})

test('an address is given on as often as its people leave', async () => {
  const first = await leaver(ana)
  const second = (await post(ana)).body.id
  await softDelete(second, later)
  const third = (await post(ana, { active: false })).body.id
  assert.deepEqual(await gone(), [
    [first, tombstone],
    [second, later],
    [third, ana],
  ])
  assert.equal((await patch(third, { active: true })).status, 200)
  assert.deepEqual(await present(), [[third, ana]])
})

test('a user who is there gets an address that a leaver keeps, and so does one who comes back', async () => {
  const old = await leaver(ana)
  const { id } = (await post('bob@acme.example')).body
  assert.equal((await patch(id, { userName: ana })).status, 200)
  assert.deepEqual([await present(), await gone()], [[[id, ana]], [[old, tombstone]]])
  await softDelete(id, later)
  const renamed = (await post('eve@acme.example')).body.id
  await patch(renamed, { active: false })
  await patch(renamed, { userName: ana })
  assert.deepEqual(await gone(), [
    [old, tombstone],
    [id, ana],
    [renamed, 'eve@acme.example'],
  ])
  assert.equal((await patch(renamed, { active: true })).status, 200)
  assert.deepEqual(await present(), [[renamed, ana]])
  assert.deepEqual(await gone(), [
    [old, tombstone],
    [id, later],
  ])
})

test('an address stays with those whose identity provider says it, out or not, and with people added by hand', async () => {
  const emails = [{ value: ana, type: 'work', primary: true }]
  const old = await leaver('ana', { emails })
  const { id } = (await post('bob@acme.example')).body
  const before = await rowVersions(app.db)
  const refused = [await post(ana), await post('other', { emails })]
  for (const { status, body } of refused) assert.deepEqual([status, body], [409, emailTaken])
  const taken = await patch(id, { userName: ana })
  assert.deepEqual([taken.status, taken.body], [409, personTaken])
  assert.deepEqual(await rowVersions(app.db), before)
  assert.deepEqual(await gone(), [[old, ana]])
  assert.equal((await restore(old)).status, 200)
  assert.equal((await patch(id, { emails })).status, 409)
  const eve = await make.person(app.tenant.organizationId, {
    email: 'eve@acme.example',
    deprovisioned_at: '2026-11-19T10:00:00.000Z',
  })
  assert.equal((await patch(id, { userName: 'eve@acme.example' })).status, 409)
  assert.deepEqual(await gone(), [[eve.id, 'eve@acme.example']])
})

test('a user who began inactive has the address that came with them', async () => {
  const { id } = (await post(ana, { active: false })).body
  assert.deepEqual(await gone(), [[id, ana]])
  assert.equal((await softDelete(id)).status, 200)
  assert.deepEqual(await gone(), [[id, ana]])
  const made = await post(ana, { active: false })
  assert.equal(made.status, 201)
  assert.deepEqual(await gone(), [
    [id, tombstone],
    [made.body.id, ana],
  ])
})

test('of a user who is deleted for good the address is kept only if the identity provider said it', async () => {
  const old = await leaver(ana, { displayName: 'Ana' })
  assert.equal((await ask('DELETE', `/Users/${old}`)).status, 204)
  assert.deepEqual(await gone(), [[old, tombstone]])
  assert.deepEqual(await audits(2), [
    `Changed the e-mail address from ${ana} to ${tombstone} of the person "Ana".`,
    `Deleted the SCIM user "${tombstone}".`,
  ])
  const made = (await post(ana)).body
  assert.deepEqual(await present(), [[made.id, ana]], 'nobody else gets the record of who left')
  const bob = (await post('bob@acme.example')).body.id
  await patch(bob, { active: false })
  await patch(bob, { userName: ana.toUpperCase() }).then(({ status }) => assert.equal(status, 409))
  await patch(bob, { emails: [{ value: ana }] })
  assert.equal((await ask('DELETE', `/Users/${bob}`)).status, 204)
  assert.deepEqual(await gone(), [
    [old, tombstone],
    [bob, 'bob@acme.example'],
  ])
})

test('who was brought back while SCIM was off keeps the address when the user is deleted for good, and is the next user of it', async () => {
  const id = await leaver(ana)
  await switchScim(false)
  await addByHand(ana)
  await switchScim(true)
  const taken = await post(ana)
  assert.deepEqual([taken.status, taken.body], [409, emailTaken], 'nobody takes an address from someone who is there')
  assert.equal((await ask('DELETE', `/Users/${id}`)).status, 204)
  assert.deepEqual(await gone(), [[id, ana]])
  assert.deepEqual([(await post(ana)).body.id, await present()], [id, [[id, ana]]])
})

test('an address that is kept in one organization is nothing to another', async () => {
  const token = await addToken((await app.addTenant('Globex')).organizationId)
  const theirs = (await post(ana, {}, token)).body.id
  const body = { schemas: [patchUrn], Operations: [{ op: 'Replace', value: { active: false, userName: tombstone } }] }
  assert.equal((await ask('PATCH', `/Users/${theirs}`, { body, token })).status, 200)
  assert.equal((await post(ana)).status, 201)
  const bob = (await post('bob@acme.example')).body.id
  await patch(bob, { userName: 'carl@acme.example' })
  const kept = await app.db.selectFrom('people').select('email').where('id', '=', theirs).executeTakeFirstOrThrow()
  assert.equal(kept.email, ana)
})

testOnPostgres('of new users for a kept address at once, one gets it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const email = `ana${round}@acme.example`
    const { id } = (await post(email)).body
    await softDelete(id, `${'0'.repeat(32)}${email}`)
    const asked = ['a', 'b', 'c'].map((name) => post(`${name}${round}`, { emails: [{ value: email }] }))
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, 409, 409], `round ${round}`)
  }
})

testOnPostgres('two who come back at once with each other’s address both get it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const [one, two] = [`one${round}@acme.example`, `two${round}@acme.example`]
    const ids = [(await post(`a${round}`, { emails: [{ value: one }] })).body.id]
    ids.push((await post(`b${round}`, { emails: [{ value: two }] })).body.id)
    for (const id of ids) await patch(id, { active: false, emails: [{ value: `${id}@gone.example` }] })
    const asked = ids.map((id, index) => patch(id, { active: true, emails: [{ value: [two, one][index] }] }))
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [200, 200],
      `round ${round}`,
    )
  }
})
