import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'

const app = testApp()
const { ask, begin } = scimClient(app)

beforeEach(async () => {
  await app.reset()
  await begin()
})

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const user = { schemas: [userUrn], userName: 'ada@acme.example' }

test('the configuration says what the service offers', async () => {
  const { status, body } = await ask('GET', '/ServiceProviderConfig')
  assert.equal(status, 200)
  assert.deepEqual(body, {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token made with `muster scim create-token`, in the header Authorization.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: 'https://muster.test/scim/v2/ServiceProviderConfig',
    },
  })
})

test('resource types and schemas are listed, and each is read by its identifier', async () => {
  const ids = { '/ResourceTypes': ['User', 'Group'], '/Schemas': [userUrn, enterpriseUrn, groupUrn] }
  for (const [path, expected] of Object.entries(ids)) {
    const { status, body } = await ask('GET', path)
    const { Resources, ...head } = body
    const count = expected.length
    assert.deepEqual(
      [status, head],
      [200, { schemas: [listUrn], totalResults: count, startIndex: 1, itemsPerPage: count }],
    )
    assert.deepEqual(
      Resources.map((resource: { id: string }) => resource.id),
      expected,
    )
    for (const resource of Resources) {
      const one = await ask('GET', `${path}/${resource.id}`)
      assert.deepEqual([one.status, one.body], [200, resource])
      assert.equal(resource.meta.location, `https://muster.test/scim/v2${path}/${resource.id}`)
    }
    assert.equal((await ask('GET', `${path}/nothing`)).status, 404)
    const filtered = await ask('GET', `${path}?filter=${encodeURIComponent('id eq "User"')}`)
    assert.deepEqual([filtered.status, filtered.body], [403, scimError(403, 'This list cannot be filtered.')])
  }
})

test('a schema tells of each attribute what RFC 7643 §7 asks', async () => {
  const { body } = await ask('GET', `/Schemas/${userUrn}`)
  assert.deepEqual(body.attributes[0], {
    name: 'userName',
    type: 'string',
    multiValued: false,
    description: 'What the identity provider calls the person; unique whatever its case.',
    required: true,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'server',
  })
  const emails = body.attributes.find((attribute: { name: string }) => attribute.name === 'emails')
  assert.deepEqual(
    emails.subAttributes.map((attribute: { name: string }) => attribute.name),
    ['value', 'display', 'type', 'primary'],
  )
  assert.deepEqual(
    [emails.required, emails.subAttributes[0].required, emails.subAttributes[1].required],
    [true, true, false],
  )
  assert.deepEqual(emails.subAttributes[2].canonicalValues, ['work', 'home', 'other'])
})

test('what is not offered is a 501, and what is nowhere a 404, in the form of the protocol', async () => {
  const missing = scimError(501, 'This service does not offer that.')
  const bulk = await ask('POST', '/Bulk', { body: {} })
  assert.deepEqual([bulk.status, bulk.body], [501, missing])
  for (const [method, path] of [
    ['GET', '/Me'],
    ['POST', '/.search'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '?filter=userName%20eq%20%22ada%22'],
    ['GET', '/?filter=userName%20eq%20%22ada%22'],
  ] as const) {
    const { status, body } = await ask(method, path, method === 'POST' ? { body: {} } : undefined)
    assert.deepEqual([status, body], [501, missing], `${method} ${path}`)
  }
  for (const [method, path] of [
    ['GET', '/Nothing'],
    ['PUT', '/Nothing'],
    ['GET', '/Nothing/more'],
  ] as const) {
    const { status, body } = await ask(method, path)
    assert.deepEqual([status, body], [404, scimError(404, 'There is no such endpoint.')], `${method} ${path}`)
  }
  const put = await ask('PUT', '/Users', { body: {} })
  assert.deepEqual([put.status, put.body], [405, scimError(405, 'This endpoint does not support PUT.')])
  assert.equal(put.headers['allow'], 'GET, HEAD, POST, OPTIONS')
  assert.equal((await ask('POST', '/Users/1', { body: {} })).headers['allow'], 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
})

test('bodies are JSON of either media type, and what else comes is refused in the form of the protocol', async () => {
  const asJson = await ask('POST', '/Users', {
    body: user,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })
  assert.equal(asJson.status, 201)
  const refused = async (payload: string, headers: Record<string, string> = {}) => {
    const { status, body } = await ask('POST', '/Users', { payload, headers })
    assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'], payload.slice(0, 50))
    assert.equal(body.status, String(status))
    return [status, body.scimType]
  }
  assert.deepEqual(await refused('{'), [400, 'invalidSyntax'])
  assert.deepEqual(await refused(' '), [400, 'invalidSyntax'])
  assert.deepEqual(await refused('[]'), [400, 'invalidSyntax'])
  assert.deepEqual(await refused('null'), [400, 'invalidSyntax'])
  assert.deepEqual(await refused('"user"'), [400, 'invalidSyntax'])
  assert.deepEqual(await refused('{}'), [400, 'invalidSyntax'])
  assert.deepEqual(await refused(`{"schemas":["${userUrn}"],"__proto__":{"userName":"x"}}`), [400, 'invalidSyntax'])
  assert.deepEqual(await refused(`{"schemas":["${groupUrn}"],"userName":"x@y.example"}`), [400, 'invalidSyntax'])
  assert.deepEqual(await refused('<user/>', { 'content-type': 'text/xml' }), [415, undefined])
  assert.deepEqual(await refused(JSON.stringify({ ...user, title: 'x'.repeat(300_000) })), [413, undefined])
  assert.deepEqual(await refused('['.repeat(100_000)), [400, 'invalidSyntax'])
})

test('users that cannot be are refused without a trace', async () => {
  const before = await rowVersions(app.db)
  const bodies: object[] = [
    { userName: undefined },
    { userName: '' },
    { userName: 7 },
    { userName: 'nobody' },
    { userName: `${'x'.repeat(400)}@y.example` },
    { userName: 'a\0b@y.example' },
    { userName: 'a\ud800b@y.example' },
    { externalId: 'x'.repeat(401) },
    { externalId: ['x'] },
    { displayName: 'x'.repeat(401) },
    { title: 'x'.repeat(4_001) },
    { title: ['x'] },
    { active: 1 },
    { name: 'Ada' },
    { emails: [{ value: 'not an address', primary: true }] },
    { emails: 'ada@acme.example', userName: 'x', phoneNumbers: [7] },
    { emails: [{ value: 'a\0@y.example' }] },
    ...[
      ...['mailto:ada@acme.example', '<ada@acme.example>', '"ada"@acme.example', '["ada@acme.example"]'],
      ...['ada@acme,example', 'ada@acme..example', 'ada@acme.example.', 'ada@ac\u200bme.example', 'ada@acme'],
    ].map((value) => ({ emails: [{ value, primary: true }] })),
    { userName: 'ada@acme' },
    { roles: Array.from({ length: 201 }, () => ({ value: 'x' })) },
    { roles: Array.from({ length: 30 }, () => ({ value: 'x'.repeat(4_000) })) },
    {
      emails: [
        { value: 'a@y.example', primary: true },
        { value: 'b@y.example', primary: 'true' },
      ],
    },
    { [enterpriseUrn]: { manager: { value: 7 } } },
  ]
  for (const changes of bodies) {
    const { status, body } = await ask('POST', '/Users', { body: { ...user, ...changes } })
    assert.deepEqual([status, body.scimType], [400, 'invalidValue'], JSON.stringify(changes).slice(0, 100))
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

test('a secret that comes with a user is neither kept nor sent back', async () => {
  const { body } = await ask('POST', '/Users', {
    body: { ...user, password: 'hunter2', groups: [{ value: '1' }], x: 'y' },
  })
  const { schemas: _schemas, meta: _meta, ...rest } = body
  assert.deepEqual(rest, { id: body.id, userName: user.userName, active: true })
  const rows = await app.db.selectFrom('scim_users').select('attributes').execute()
  assert.deepEqual(rows, [{ attributes: {} }])
})

test('a DELETE may have a content type and a body', async () => {
  const { body } = await ask('POST', '/Users', { body: user })
  assert.equal((await ask('DELETE', `/Users/${body.id}`, { payload: '' })).status, 204)
  const again = await ask('POST', '/Users', { body: user })
  const headers = { 'content-type': 'text/plain' }
  assert.equal((await ask('DELETE', `/Users/${again.body.id}`, { payload: 'x', headers })).status, 204)
})

test('a version of the API in the headers means nothing here', async () => {
  for (const version of ['2023-05-26', 'v0', 'nonsense']) {
    const { status } = await ask('GET', '/Users', { headers: { 'x-service-api-version': version } })
    assert.equal(status, 200, version)
  }
})
