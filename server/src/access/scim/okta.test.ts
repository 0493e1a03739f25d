import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'

const app = testApp()
const make = makeIn(app)
const { ask, begin } = scimClient(app)
const start = '2026-11-20T10:00:00.000Z'
const later = '2026-11-20T11:00:00.000Z'

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
  await begin()
})

const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

const filtered = (name: string) => `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}&startIndex=1&count=100`

/** As the connector sends it. */
const newUser = {
  schemas: [userUrn],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
}

const storedUser = (id: string, changes = {}, lastModified = start, version = 'W/"1"') => ({
  schemas: [userUrn],
  id,
  externalId: '00ujl29u0le5T6Aj10h7',
  userName: 'test.user@okta.local',
  active: true,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  ...changes,
  meta: {
    resourceType: 'User',
    created: start,
    lastModified,
    location: `https://muster.test/scim/v2/Users/${id}`,
    version,
  },
})

const audits = async (): Promise<[actor: string, description: string][]> =>
  (await app.ask('GET', '/audit_logs')).body.data
    .map((entry: { actor_name: string; description: string }) => [entry.actor_name, entry.description])
    .filter(([actor]: [string]) => actor !== 'Muster')
    .reverse()

const idsOf = async (url: string): Promise<string[]> =>
  (await app.ask('GET', url)).body.data.map((row: { id: string }) => row.id)

test('a person is found missing, made, read, deactivated with PUT and reactivated with PATCH', async () => {
  const none = await ask('GET', filtered('test.user@okta.local'))
  assert.deepEqual(
    [none.status, none.body],
    [200, { schemas: [listUrn], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] }],
  )
  const made = await ask('POST', '/Users', { body: newUser })
  const id = made.body.id
  assert.deepEqual([made.status, made.body], [201, storedUser(id)])
  assert.equal(made.headers['location'], `https://muster.test/scim/v2/Users/${id}`)
  assert.equal(made.headers['etag'], 'W/"1"')
  const read = await ask('GET', `/Users/${id}`)
  assert.deepEqual([read.status, read.body], [200, storedUser(id)])
  assert.deepEqual((await ask('GET', filtered('TEST.user@okta.local'))).body.Resources, [storedUser(id)])

  const device = await make.device(app.tenant.organizationId, { name: 'Mac', registered_owner_id: id })
  app.setNow(later)
  const deactivated = await ask('PUT', `/Users/${id}`, { body: { ...read.body, active: false } })
  assert.deepEqual([deactivated.status, deactivated.body], [200, storedUser(id, { active: false }, later, 'W/"2"')])
  assert.deepEqual(await idsOf('/people'), [])
  assert.deepEqual(await idsOf('/deprovisioned_people'), [id])
  assert.equal((await app.ask('GET', `/devices/${device.id}`)).body.registered_at, null)

  const body = { schemas: [patchUrn], Operations: [{ op: 'replace', value: { active: true } }] }
  const again = await ask('PATCH', `/Users/${id}`, { body })
  assert.deepEqual([again.status, again.body], [200, storedUser(id, {}, later, 'W/"3"')])
  assert.deepEqual(await idsOf('/people'), [id])
  assert.deepEqual(await idsOf(`/people/${id}/registered_devices`), [])
  assert.deepEqual(await audits(), [
    ['Okta (SCIM)', 'Added the person "Test User" (test.user@okta.local) for the SCIM user "test.user@okta.local".'],
    ['Okta (SCIM)', 'Ended the registration of the device "Mac" to "Test User".'],
    ['Okta (SCIM)', 'Deprovisioned "Test User" (test.user@okta.local).'],
    ['Okta (SCIM)', 'Restored "Test User" (test.user@okta.local).'],
  ])
})

test('a profile is pushed with PUT, and an equal repeat writes nothing', async () => {
  const { body: made } = await ask('POST', '/Users', { body: newUser })
  const body = {
    ...made,
    name: { givenName: 'Another', familyName: 'User' },
    displayName: 'Another User',
    emails: [{ primary: true, value: 'another@okta.local', type: 'work' }],
  }
  app.setNow(later)
  const changed = await ask('PUT', `/Users/${made.id}`, { body })
  const { schemas: _schemas, id: _id, meta: _meta, ...rest } = body
  assert.deepEqual([changed.status, changed.body], [200, storedUser(made.id, rest, later, 'W/"2"')])
  const person = (await app.ask('GET', `/people/${made.id}`)).body
  assert.deepEqual(
    [person.name, person.email, person.usernames],
    ['Another User', 'another@okta.local', ['test.user@okta.local']],
  )
  const before = await rowVersions(app.db)
  const repeated = await ask('PUT', `/Users/${made.id}`, { body })
  assert.deepEqual([repeated.status, repeated.body], [200, changed.body])
  assert.deepEqual(await rowVersions(app.db), before)
  assert.deepEqual((await audits()).slice(1), [
    [
      'Okta (SCIM)',
      'Changed the name from "Test User" to "Another User" and the e-mail address from test.user@okta.local to another@okta.local of the person "Another User".',
    ],
    ['Okta (SCIM)', 'Changed the SCIM user "test.user@okta.local": displayName, emails, name.'],
  ])
})

test('groups are pushed: made, filled, renamed, emptied and deleted', async () => {
  const [ada, bob, eve] = [await addUser('ada'), await addUser('bob'), await addUser('eve')]
  const body = { schemas: [groupUrn], displayName: 'Test SCIMv2', members: [] }
  const made = await ask('POST', '/Groups', { body })
  const id = made.body.id
  const group = (displayName: string, members: unknown[], lastModified: string, version: number) => ({
    schemas: [groupUrn],
    id,
    displayName,
    members,
    meta: {
      resourceType: 'Group',
      created: start,
      lastModified,
      location: `https://muster.test/scim/v2/Groups/${id}`,
      version: `W/"${version}"`,
    },
  })
  const member = (userId: string, display: string) => ({
    value: userId,
    $ref: `https://muster.test/scim/v2/Users/${userId}`,
    display,
    type: 'User',
  })
  assert.deepEqual([made.status, made.body], [201, group('Test SCIMv2', [], start, 1)])
  app.setNow(later)
  const patch = (...operations: unknown[]) =>
    ask('PATCH', `/Groups/${id}`, { body: { schemas: [patchUrn], Operations: operations } })
  const read = async () => (await ask('GET', `/Groups/${id}`)).body

  assert.equal((await patch({ op: 'replace', value: { id, displayName: 'Renamed' } })).status, 204)
  const value = [
    { value: ada, display: 'ada@okta.local' },
    { value: bob, display: 'bob@okta.local' },
  ]
  const filled = await patch({ op: 'add', path: 'members', value })
  assert.deepEqual([filled.status, filled.body], [204, undefined])
  assert.deepEqual(await read(), group('Renamed', [member(ada, 'ada'), member(bob, 'bob')], later, 3))
  await patch(
    { op: 'remove', path: `members[value eq "${ada}"]` },
    { op: 'add', path: 'members', value: [{ value: eve, display: 'eve@okta.local' }] },
  )
  assert.deepEqual(await read(), group('Renamed', [member(bob, 'bob'), member(eve, 'eve')], later, 4))
  assert.deepEqual(await idsOf(`/person_groups/${id}/people`), [bob, eve])
  await patch({ op: 'replace', path: 'members', value: [{ value: ada, display: 'ada@okta.local' }] })
  assert.deepEqual(await read(), group('Renamed', [member(ada, 'ada')], later, 5))

  const before = await rowVersions(app.db)
  await patch({ op: 'replace', path: 'members', value: [{ value: ada }] })
  await patch({ op: 'remove', path: `members[value eq "${eve}"]` })
  await ask('PUT', `/Groups/${id}`, {
    body: { schemas: [groupUrn], displayName: 'Renamed', members: [{ value: ada }] },
  })
  assert.deepEqual(await rowVersions(app.db), before)

  const gone = await ask('DELETE', `/Groups/${id}`)
  assert.deepEqual([gone.status, gone.body], [204, undefined])
  const missing = await ask('GET', `/Groups/${id}`)
  assert.deepEqual([missing.status, missing.body], [404, scimError(404, 'There is no such record.')])
  assert.deepEqual(await idsOf('/person_groups'), [])
  assert.deepEqual(
    (await audits()).slice(3).map(([, description]) => description),
    [
      'Created the person group "Test SCIMv2".',
      'Renamed the person group "Test SCIMv2" to "Renamed".',
      'Added "ada" and "bob" to the person group "Renamed".',
      'Added "eve" to the person group "Renamed".',
      'Took "ada" out of the person group "Renamed".',
      'Added "ada" to the person group "Renamed".',
      'Took "bob" and "eve" out of the person group "Renamed".',
      'Deleted the person group "Renamed".',
    ],
  )
})

async function addUser(name: string): Promise<string> {
  const body = { schemas: [userUrn], userName: `${name}@okta.local`, displayName: name }
  return (await ask('POST', '/Users', { body })).body.id
}
