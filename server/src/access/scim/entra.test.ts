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

beforeEach(async () => {
  await app.reset()
  await begin()
})

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const noRecord = scimError(404, 'There is no such record.')

/** As the provisioning service sends it. */
const newUser = {
  schemas: [userUrn, enterpriseUrn],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1',
  active: true,
  emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
}

const stored = (id: string, changes = {}, version = 1) => ({
  schemas: [userUrn],
  id,
  externalId: newUser.externalId,
  userName: newUser.userName,
  active: true,
  emails: newUser.emails,
  name: newUser.name,
  ...changes,
  meta: {
    resourceType: 'User',
    created: start,
    lastModified: start,
    location: `https://muster.test/scim/v2/Users/${id}`,
    version: `W/"${version}"`,
  },
})

const create = async (): Promise<string> => (await ask('POST', '/Users', { body: newUser })).body.id

const patchUser = (id: string, ...operations: unknown[]) =>
  ask('PATCH', `/Users/${id}`, { body: { schemas: [patchUrn], Operations: operations } })

const found = async (filter: string) => (await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)).body.Resources

const idsOf = async (url: string): Promise<string[]> =>
  (await app.ask('GET', url)).body.data.map((row: { id: string }) => row.id)

test('a person is sought by each matching attribute, then made', async () => {
  const filters = [
    `externalId eq "${newUser.externalId}"`,
    `userName eq "${newUser.userName}"`,
    'emails[type eq "work"].value eq "test_user_fd0ea19b@testuser.com"',
  ]
  for (const filter of filters) assert.deepEqual(await found(filter), [], filter)
  const { status, body } = await ask('POST', '/Users', { body: newUser })
  assert.deepEqual([status, body], [201, stored(body.id)])
  for (const filter of filters) assert.deepEqual(await found(filter), [stored(body.id)], filter)
  assert.deepEqual(await found('emails[type eq "home"].value eq "test_user_fd0ea19b@testuser.com"'), [])
  const twice = await ask('POST', '/Users', { body: newUser })
  const conflict = scimError(409, 'There is a user with this e-mail address already.', 'uniqueness')
  assert.deepEqual([twice.status, twice.body], [409, conflict])
})

test('attributes are changed by paths, with capital operations', async () => {
  const id = await create()
  const { status, body } = await patchUser(
    id,
    { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
    { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '555-0100' },
    { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Paris' },
    { op: 'Add', path: 'roles', value: [{ primary: 'True', display: 'Admin', value: 'admin' }] },
    { op: 'Add', path: `${enterpriseUrn}:department`, value: 'Research' },
    { op: 'Add', path: `${enterpriseUrn}:manager`, value: '77' },
    { op: 'Add', path: 'displayName', value: 'Updated Name' },
  )
  const changes = {
    schemas: [userUrn, enterpriseUrn],
    emails: [{ primary: true, type: 'work', value: 'updatedEmail@microsoft.com' }],
    name: { formatted: 'givenName familyName', familyName: 'updatedFamilyName', givenName: 'givenName' },
    phoneNumbers: [{ type: 'mobile', value: '555-0100' }],
    addresses: [{ type: 'work', locality: 'Paris' }],
    roles: [{ primary: true, display: 'Admin', value: 'admin' }],
    [enterpriseUrn]: { department: 'Research', manager: { value: '77' } },
    displayName: 'Updated Name',
  }
  assert.deepEqual([status, body], [200, stored(id, changes, 2)])
  const person = (await app.ask('GET', `/people/${id}`)).body
  assert.deepEqual([person.name, person.email], ['Updated Name', 'updatedEmail@microsoft.com'])
  const removed = await patchUser(
    id,
    { op: 'Remove', path: 'phoneNumbers[type eq "mobile"].value' },
    { op: 'Remove', path: 'addresses[type eq "work"]' },
    { op: 'Remove', path: `${enterpriseUrn}:manager` },
    { op: 'Remove', path: 'roles[primary eq "True"]' },
    { op: 'Remove', path: 'displayName' },
  )
  const { phoneNumbers: _p, addresses: _a, roles: _r, displayName: _d, ...rest } = changes
  assert.deepEqual(removed.body, stored(id, { ...rest, [enterpriseUrn]: { department: 'Research' } }, 3))
})

test('attributes are changed without a path, also by the paths of their names', async () => {
  const id = await create()
  const value = {
    displayName: 'Bjfe',
    'name.givenName': 'Kona',
    'emails[type eq "work"].value': 'kona@testuser.com',
    [`${enterpriseUrn}:employeeNumber`]: 'HBSHEPEMEADG',
    [enterpriseUrn]: { costCenter: 'C1' },
    'urn:ietf:params:scim:schemas:extension:custom:2.0:User:tag': 'kept elsewhere',
  }
  const { status, body } = await patchUser(id, { op: 'replace', value })
  const changes = {
    schemas: [userUrn, enterpriseUrn],
    displayName: 'Bjfe',
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'Kona' },
    emails: [{ primary: true, type: 'work', value: 'kona@testuser.com' }],
    [enterpriseUrn]: { employeeNumber: 'HBSHEPEMEADG', costCenter: 'C1' },
  }
  assert.deepEqual([status, body], [200, stored(id, changes, 2)])
})

test('someone is disabled with the string False and enabled with True, and a repeat writes nothing', async () => {
  const { organizationId } = app.tenant
  const id = await create()
  const mac = await make.device(organizationId, { registered_owner_id: id })
  const phone = await make.device(organizationId, {
    registered_owner_id: id,
    device_type: 'iOS',
    form_factor: 'phone',
  })
  await app.db.deleteFrom('events').execute()
  const disabled = await patchUser(id, { op: 'Replace', path: 'active', value: 'False' })
  assert.deepEqual([disabled.status, disabled.body], [200, stored(id, { active: false }, 2)])
  assert.deepEqual(await idsOf('/deprovisioned_people'), [id])
  assert.equal((await app.ask('GET', `/devices/${mac.id}`)).body.registered_at, null)
  assert.equal((await app.ask('GET', `/devices/${phone.id}`)).status, 404)
  const events = await app.db.selectFrom('events').select('data').execute()
  assert.equal(events.filter(({ data }) => 'compliance' in data).length, 0, 'nobody is told of compliance')
  const before = await rowVersions(app.db)
  await patchUser(id, { op: 'Replace', path: 'active', value: 'False' })
  await patchUser(id, { op: 'Replace', path: 'userName', value: newUser.userName })
  assert.deepEqual(await rowVersions(app.db), before)
  assert.deepEqual(await found(`userName eq "${newUser.userName}"`), [stored(id, { active: false }, 2)])
  const enabled = await patchUser(id, { op: 'Replace', path: 'active', value: 'True' })
  assert.deepEqual([enabled.status, enabled.body], [200, stored(id, {}, 3)])
  assert.deepEqual(await idsOf(`/people/${id}/registered_devices`), [])
  const { has_used_first_trust } = await app.db
    .selectFrom('people')
    .select('has_used_first_trust')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  assert.equal(has_used_first_trust, false)
})

test('someone leaves also where a value that is not there is replaced in the same request', async () => {
  const id = await create()
  const { status, body } = await patchUser(
    id,
    { op: 'Replace', path: 'phoneNumbers[type eq "work"].value', value: '+1 555 0100' },
    { op: 'Replace', path: 'addresses[type eq "work"].locality', value: '' },
    { op: 'Replace', path: 'active', value: 'False' },
  )
  assert.equal(status, 200)
  assert.deepEqual(
    [body.active, body.phoneNumbers, body.addresses],
    [false, [{ type: 'work', value: '+1 555 0100' }], undefined],
  )
})

test('a deleted user is gone, the person is kept, and the same user name leads to them again', async () => {
  const id = await create()
  const group = (
    await ask('POST', '/Groups', { body: { schemas: [groupUrn], displayName: 'All', members: [{ value: id }] } })
  ).body
  const deleted = await ask('DELETE', `/Users/${id}`)
  assert.deepEqual([deleted.status, deleted.body], [204, undefined])
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, body } = await ask(method, `/Users/${id}`)
    assert.deepEqual([status, body], [404, noRecord], method)
  }
  const patched = await patchUser(id, { op: 'replace', path: 'active', value: true })
  assert.deepEqual([patched.status, patched.body], [404, noRecord])
  assert.deepEqual(await found(`userName eq "${newUser.userName}"`), [])
  const kept = await app.db.selectFrom('scim_users').select(['external_id', 'emails', 'attributes']).execute()
  assert.deepEqual(kept, [{ external_id: null, emails: [], attributes: {} }])
  assert.deepEqual(await idsOf('/deprovisioned_people'), [id])
  assert.deepEqual((await ask('GET', `/Groups/${group.id}`)).body.members, [])
  const body = { ...newUser, emails: [{ primary: true, type: 'work', value: 'new@testuser.com' }] }
  const again = await ask('POST', '/Users', { body })
  assert.deepEqual([again.status, again.body], [201, stored(id, { emails: body.emails }, 3)])
  assert.deepEqual(await idsOf('/people'), [id])
  assert.equal((await app.ask('GET', `/people/${id}`)).body.email, 'new@testuser.com')
  const audits = (await app.ask('GET', '/audit_logs?per_page=6')).body.data
  assert.deepEqual(
    audits.map((entry: { description: string }) => entry.description),
    [
      'Changed the e-mail address from Test_User_fd0ea19b@testuser.com to new@testuser.com of the person "givenName familyName".',
      'Restored "givenName familyName" (Test_User_fd0ea19b@testuser.com).',
      `Linked the person "givenName familyName" (Test_User_fd0ea19b@testuser.com) to the SCIM user "${newUser.userName}".`,
      `Deleted the SCIM user "${newUser.userName}".`,
      'Took "givenName familyName" out of the person group "All".',
      'Deprovisioned "givenName familyName" (Test_User_fd0ea19b@testuser.com).',
    ],
  )
})

test('groups are kept without their members being read', async () => {
  const id = await create()
  const externalId = '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159'
  const displayName = 'displayName'
  const body = { schemas: [groupUrn], externalId, displayName, meta: { resourceType: 'Group' } }
  const made = await ask('POST', '/Groups', { body })
  const groupId = made.body.id
  const group = (changes = {}, version = 1) => ({
    schemas: [groupUrn],
    id: groupId,
    externalId,
    displayName,
    ...changes,
    meta: {
      resourceType: 'Group',
      created: start,
      lastModified: start,
      location: `https://muster.test/scim/v2/Groups/${groupId}`,
      version: `W/"${version}"`,
    },
  })
  assert.deepEqual([made.status, made.body], [201, group({ members: [] })])
  const twice = await ask('POST', '/Groups', { body })
  const conflict = scimError(409, 'There is a group with this displayName already.', 'uniqueness')
  assert.deepEqual([twice.status, twice.body], [409, conflict])

  const read = await ask('GET', `/Groups/${groupId}?excludedAttributes=members`)
  assert.deepEqual([read.status, read.body], [200, group()])
  const url = `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "DISPLAYNAME"')}`
  assert.deepEqual((await ask('GET', url)).body.Resources, [group()])

  const patch = (...operations: unknown[]) =>
    ask('PATCH', `/Groups/${groupId}`, { body: { schemas: [patchUrn], Operations: operations } })
  const member = [{ $ref: null, value: id }]
  const isMember = async () => {
    const filter = encodeURIComponent(`id eq "${groupId}" and members eq "${id}"`)
    return (await ask('GET', `/Groups?filter=${filter}&attributes=id`)).body.Resources
  }
  assert.deepEqual(await isMember(), [])
  assert.equal((await patch({ op: 'Add', path: 'members', value: member })).status, 204)
  assert.deepEqual(await isMember(), [{ schemas: [groupUrn], id: groupId }])
  assert.equal((await patch({ op: 'Remove', path: 'members', value: [{ value: '999' }] })).status, 204)
  assert.deepEqual(await idsOf(`/person_groups/${groupId}/people`), [id], 'others are not taken out')
  assert.equal((await patch({ op: 'Remove', path: 'members', value: member })).status, 204)
  assert.deepEqual(await isMember(), [])
  const renamed = await patch({ op: 'Replace', path: 'displayName', value: 'Renamed' })
  assert.deepEqual([renamed.status, renamed.body], [204, undefined])
  assert.deepEqual((await ask('GET', `/Groups/${groupId}`)).body, group({ displayName: 'Renamed', members: [] }, 4))
  assert.equal((await ask('DELETE', `/Groups/${groupId}`)).status, 204)
  assert.equal((await ask('DELETE', `/Groups/${groupId}`)).status, 404)
})
