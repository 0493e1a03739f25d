import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { processorMs } from '../../../test/support/processor-time.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'

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
const noRecord = scimError(404, 'There is no such record.')

const userOf = (userName: string, changes = {}) => ({ schemas: [userUrn], userName, ...changes })
const post = (userName: string, changes = {}) => ask('POST', '/Users', { body: userOf(userName, changes) })

const patch = (id: string, ...operations: unknown[]) =>
  ask('PATCH', `/Users/${id}`, { body: { schemas: [patchUrn], Operations: operations } })

const audits = async (): Promise<string[]> =>
  (await app.ask('GET', '/audit_logs')).body.data
    .filter((entry: { actor_type: string; actor_name: string }) => entry.actor_name === 'Okta (SCIM)')
    .map((entry: { description: string }) => entry.description)
    .reverse()

const find = async (filter: string): Promise<string[]> => {
  const { status, body } = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)
  assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`)
  assert.equal(body.totalResults, body.Resources.length)
  return body.Resources.map((user: { userName: string }) => user.userName)
}

test('someone who is there already is linked with devices and groups, whatever the case of the address', async () => {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId, { name: 'Ada', email: 'Ada@acme.example', usernames: ['lovelace'] })
  const device = await make.device(organizationId, { registered_owner_id: ada.id })
  const group = await make.personGroup(organizationId, { personIds: [ada.id] })
  const { status, body } = await post('ada@acme.example', { displayName: 'Ada Lovelace' })
  assert.deepEqual([status, body.id], [201, ada.id])
  const person = (await app.ask('GET', `/people/${ada.id}`)).body
  assert.deepEqual(
    [person.name, person.email, person.usernames, person.has_registered_device],
    ['Ada Lovelace', 'ada@acme.example', ['ada@acme.example'], true],
  )
  const kept = (await app.ask('GET', `/people/${ada.id}/registered_devices`)).body.data
  assert.deepEqual(
    kept.map((row: { id: string }) => row.id),
    [device.id],
  )
  const groups = (await app.ask('GET', `/people/${ada.id}/person_groups`)).body.data
  assert.deepEqual(
    groups.map((row: { id: string }) => row.id),
    [group.id],
  )
  assert.deepEqual(await audits(), [
    'Linked the person "Ada" (Ada@acme.example) to the SCIM user "ada@acme.example".',
    'Changed the name from "Ada" to "Ada Lovelace" and the e-mail address from Ada@acme.example to ada@acme.example of the person "Ada Lovelace".',
  ])
})

test('a user may begin inactive, and then nobody is added to the people', async () => {
  const { status, body } = await post('ada@acme.example', { active: false })
  assert.deepEqual([status, body.active], [201, false])
  assert.deepEqual((await app.ask('GET', '/people')).body.data, [])
  assert.deepEqual(await find('active eq false'), ['ada@acme.example'])
  assert.deepEqual(await find('active eq true'), [])
})

test('neither a user name nor an address belongs to two users', async () => {
  const { body: ada } = await post('ada@acme.example')
  const { body: bob } = await post('bob', { emails: [{ value: 'bob@acme.example' }] })
  const nameTaken = scimError(409, 'There is a user with this userName already.', 'uniqueness')
  const emailTaken = scimError(409, 'There is a user with this e-mail address already.', 'uniqueness')
  const personTaken = scimError(409, 'There is a person with this e-mail address already.', 'uniqueness')
  const refusals = [
    [await post('BOB', { emails: [{ value: 'other@acme.example' }] }), nameTaken],
    [await post('other', { emails: [{ value: 'BOB@acme.example' }] }), emailTaken],
    [await patch(bob.id, { op: 'replace', path: 'userName', value: 'ADA@acme.example' }), nameTaken],
    [await patch(bob.id, { op: 'replace', path: 'emails', value: [{ value: 'ada@acme.example' }] }), personTaken],
  ] as const
  for (const [{ status, body }, expected] of refusals) assert.deepEqual([status, body], [409, expected])
  assert.deepEqual((await ask('GET', `/Users/${bob.id}`)).body, bob)
  assert.deepEqual((await ask('GET', `/Users/${ada.id}`)).body, ada)
  assert.deepEqual((await app.ask('GET', '/people')).body.data.length, 2, 'nothing is left of what was refused')
  assert.equal((await post('other', { emails: [{ value: 'other@acme.example' }] })).status, 201)
})

testOnPostgres('of two requests for one user name at once, one makes it', async () => {
  const asked = Array.from({ length: 8 }, (_, index) =>
    post('ada', { emails: [{ value: `ada${index % 2}@acme.example` }] }),
  )
  const statuses = (await Promise.all(asked)).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409, 409, 409])
  assert.equal((await app.ask('GET', '/people')).body.data.length, 1)
})

testOnPostgres('of requests for one e-mail address at once, one makes the user, and keeps its name', async () => {
  for (let round = 0; round < 20; round += 1) {
    const emails = [{ value: `ada${round}@acme.example` }]
    const asked = ['a', 'b', 'c', 'd'].map((name) => post(`${name}${round}`, { emails }))
    const answers = await Promise.all(asked)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409], `round ${round}`)
    const made = answers.find(({ status }) => status === 201)?.body
    assert.equal((await ask('GET', `/Users/${made.id}`)).body.userName, made.userName)
  }
})

testOnPostgres('changes at once are all kept', async () => {
  const { body: ada } = await post('ada@acme.example')
  const titles = Array.from({ length: 6 }, (_, index) => ({ value: `role${index}` }))
  await Promise.all(titles.map((role) => patch(ada.id, { op: 'add', path: 'roles', value: [role] })))
  const { body } = await ask('GET', `/Users/${ada.id}`)
  assert.equal(body.roles.length, 6)
  assert.equal(body.meta.version, 'W/"7"')
})

test('users are found by what an index serves, with and, or and brackets', async () => {
  await post('ada@acme.example', { displayName: 'Ada "L" \\ é', externalId: 'X1' })
  app.setNow('2026-11-20T12:00:00.000Z')
  await post('ACME\\bob', {
    externalId: 'x1',
    emails: [
      { value: 'bob@acme.example', type: 'work' },
      { value: 'b@home.example', type: 'home' },
    ],
  })
  const bob = 'ACME\\bob'
  const ada = 'ada@acme.example'
  const { id } = (await ask('GET', '/Users?filter=externalId%20eq%20%22X1%22')).body.Resources[0]
  const cases: [filter: string, names: string[]][] = [
    ['userName eq "ADA@ACME.example"', [ada]],
    ['USERNAME EQ "ada@acme.example"', [ada]],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@acme.example"', [ada]],
    [String.raw`userName eq "acme\\bob"`, [bob]],
    [String.raw`displayName eq "ada \"l\" \\ \u00e9"`, [ada]],
    ['externalId eq "X1"', [ada]],
    ['externalId eq "x1"', [bob]],
    [`id eq "${id}"`, [ada]],
    ['id eq "x"', []],
    ['id eq "99999999999999999999"', []],
    ['emails.value eq "B@HOME.example"', [bob]],
    ['emails eq "b@home.example"', [bob]],
    ['emails[value eq "b@home.example"]', [bob]],
    ['emails[type eq "home" and value eq "b@home.example"]', [bob]],
    ['emails[type eq "home"].value eq "B@home.example"', [bob]],
    ['emails[type eq "work"].value eq "b@home.example"', []],
    ['active eq true', [ada, bob]],
    ['active eq "True"', [ada, bob]],
    ['active eq false', []],
    ['meta.lastModified gt "2026-11-20T10:00:00Z"', [bob]],
    ['meta.lastModified ge "2026-11-20T10:00:00.000Z"', [ada, bob]],
    ['meta.lastModified lt "2026-11-20T12:00:00Z"', [ada]],
    ['meta.lastModified le "2026-11-20T13:00:00+01:00"', [ada, bob]],
    ['userName eq "nobody" or externalId eq "x1"', [bob]],
    ['userName eq "ada@acme.example" and externalId eq "x1"', []],
    ['userName eq "ada@acme.example" or externalId eq "x1" and active eq false', [ada]],
    ['(userName eq "ada@acme.example" or externalId eq "x1") and active eq true', [ada, bob]],
  ]
  for (const [filter, names] of cases) assert.deepEqual(await find(filter), names, filter)
})

test('every other filter is refused, in time', async () => {
  const filters = [
    'userName',
    'userName eq',
    'userName eq "a',
    `userName eq "${'\n'.repeat(3_000)}`,
    `userName eq "${'\\'.repeat(4_001)}`,
    'userName eq ada',
    'userName eq null',
    'userName eq 1',
    'userName co "a"',
    'userName sw "a"',
    'userName pr',
    'not (userName eq "a")',
    'title eq "a"',
    'name.familyName eq "a"',
    'meta.created gt "2026-11-20T10:00:00Z"',
    'meta.lastModified gt "yesterday"',
    'active gt true',
    'emails[type eq "work"]',
    'emails[type eq "work"].display eq "a"',
    'userName eq "a" constructor userName eq "b"',
    'userName eq "a" __proto__ userName eq "b"',
    '__proto__ eq "a"',
    'constructor eq "a"',
    'userName eq "a" and',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    '('.repeat(4_000),
    `${'('.repeat(1_000)}userName eq "a"`,
    `userName eq "${'a'.repeat(5_000)}"`,
    Array.from({ length: 51 }, () => 'id eq "1"').join(' or '),
    'userName eq "a"; drop table people',
  ]
  for (const filter of filters) {
    const ms = await processorMs(async () => {
      const { status, body } = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      assert.deepEqual([status, body.scimType], [400, 'invalidFilter'], filter.slice(0, 100))
    })
    assert.ok(ms < 4_000, `${ms} ms: ${filter.slice(0, 100)}`)
  }
  assert.equal((await ask('GET', '/Users?filter=a&filter=b')).body.scimType, 'invalidFilter')
})

test('lists come in pages that say how many there are', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await post(`${name}@acme.example`)
  await ask('DELETE', '/Users/3')
  const page = async (query: string) => {
    const { status, body } = await ask('GET', `/Users?${query}`)
    const names = body.Resources.map((user: { userName: string }) => user.userName[0])
    return [status, body.totalResults, body.startIndex, body.itemsPerPage, names.join('')]
  }
  assert.deepEqual(await page(''), [200, 4, 1, 4, 'abde'])
  assert.deepEqual(await page('startIndex=1&count=3'), [200, 4, 1, 3, 'abd'])
  assert.deepEqual(await page('startIndex=4&count=3'), [200, 4, 4, 1, 'e'])
  assert.deepEqual(await page('startIndex=5&count=3'), [200, 4, 5, 0, ''])
  assert.deepEqual(await page('startIndex=-7&count=1'), [200, 4, 1, 1, 'a'])
  assert.deepEqual(await page('count=0'), [200, 4, 1, 0, ''])
  assert.deepEqual(await page('count=-1'), [200, 4, 1, 0, ''])
  assert.deepEqual(await page('count=100000&sortBy=userName&sortOrder=descending'), [200, 4, 1, 4, 'abde'])
  assert.deepEqual(await page('startIndex=999999999999999'), [200, 4, 2_147_483_647, 0, ''])
  const refused = await ask('GET', '/Users?count=many')
  assert.deepEqual([refused.status, refused.body], [400, scimError(400, 'count must be an integer.', 'invalidValue')])
})

test('a search may come in a body', async () => {
  await post('ada@acme.example', { title: 'Countess', name: { givenName: 'Ada', familyName: 'Lovelace' } })
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
    attributes: ['userName', 'name.familyName'],
    filter: 'active eq true',
    startIndex: 1,
    count: 10,
  }
  const { status, body: found } = await ask('POST', '/Users/.search', { body })
  assert.deepEqual(
    [status, found.totalResults, found.Resources],
    [200, 1, [{ schemas: [userUrn], id: '1', userName: 'ada@acme.example', name: { familyName: 'Lovelace' } }]],
  )
})

test('an answer has the attributes that were asked for, and always id and schemas', async () => {
  const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
  const { body: user } = await post('ada@acme.example', {
    schemas: [userUrn, enterpriseUrn],
    emails: [{ value: 'ada@acme.example', type: 'work' }],
    [enterpriseUrn]: { department: 'Research', costCenter: 'C1' },
  })
  const { schemas, id } = user
  const read = async (query: string) => (await ask('GET', `/Users/${id}?${query}`)).body
  assert.deepEqual(await read('attributes=USERNAME'), { schemas, id, userName: user.userName })
  assert.deepEqual(await read(`attributes=${userUrn}:userName,nothing`), { schemas, id, userName: user.userName })
  assert.deepEqual(await read('attributes=emails.type'), { schemas, id, emails: [{ type: 'work' }] })
  assert.deepEqual(await read(`attributes=${enterpriseUrn}:department`), {
    schemas,
    id,
    [enterpriseUrn]: { department: 'Research' },
  })
  const { meta: _meta, emails: _emails, ...rest } = user
  assert.deepEqual(await read(`excludedAttributes=meta,emails,id,${enterpriseUrn}:costCenter`), {
    ...rest,
    [enterpriseUrn]: { department: 'Research' },
  })
  assert.deepEqual(await read('attributes=__proto__,constructor'), { schemas, id })
})

test('a change may depend on the version that was read', async () => {
  const { body: user } = await post('ada@acme.example')
  const path = `/Users/${user.id}`
  const same = await ask('GET', path, { headers: { 'if-none-match': user.meta.version } })
  assert.deepEqual([same.status, same.body, same.headers['etag']], [304, undefined, 'W/"1"'])
  const body = { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'title', value: 'Countess' }] }
  const late = await ask('PATCH', path, { body, headers: { 'if-match': 'W/"0"' } })
  assert.deepEqual([late.status, late.body], [412, scimError(412, 'The resource has changed: its version is another.')])
  const timely = await ask('PATCH', path, { body, headers: { 'if-match': 'W/"1"' } })
  assert.deepEqual([timely.status, timely.headers['etag']], [200, 'W/"2"'])
  assert.equal((await ask('GET', path, { headers: { 'if-none-match': 'W/"1"' } })).status, 200)
  assert.equal((await ask('DELETE', path, { headers: { 'if-match': 'W/"1"' } })).status, 412)
  assert.equal((await ask('DELETE', path, { headers: { 'if-match': '*' } })).status, 204)
})

test('users of another organization are as unknown as nobody', async () => {
  const other = await app.addTenant()
  const token = await addToken(other.organizationId)
  const { body: theirs } = await ask('POST', '/Users', { body: userOf('ada@acme.example'), token })
  const ours = (await post('ada@acme.example')).body
  const before = await rowVersions(app.db)
  const operations = [{ op: 'replace', path: 'active', value: false }]
  for (const id of [theirs.id, '900000000000000001', 'x', '0', '-1', '01', '9999999999999999999', '%00']) {
    const answers = [
      await ask('GET', `/Users/${id}`),
      await ask('PUT', `/Users/${id}`, { body: userOf('eve@acme.example') }),
      await patch(id, ...operations),
      await ask('DELETE', `/Users/${id}`),
    ]
    for (const { status, body } of answers) assert.deepEqual([status, body], [404, noRecord], id)
  }
  assert.deepEqual(await rowVersions(app.db), before)
  assert.deepEqual((await ask('GET', '/Users')).body.Resources, [ours])
  assert.deepEqual((await ask('GET', '/Users', { token })).body.Resources, [theirs])
})

test('complex values are taken as JSON text', async () => {
  const { body: user } = await post('ada@acme.example', { emails: [{ value: 'ada@acme.example', type: 'work' }] })
  const value = '{"value":"lovelace@acme.example","type":"work","primary":true}'
  const { status, body } = await patch(user.id, { op: 'replace', path: 'emails[type eq "work"]', value })
  assert.deepEqual([status, body.emails], [200, [{ value: 'lovelace@acme.example', type: 'work', primary: true }]])
  assert.equal((await app.ask('GET', `/people/${user.id}`)).body.email, 'lovelace@acme.example')
  const emails = ['["bob@acme.example"]', '{"value":"bob@acme.example"}', '[{"value":"bob@acme.example"}]']
  for (const text of emails) {
    const { body: bob } = await ask('PUT', `/Users/${user.id}`, { body: userOf('bob', { emails: text }) })
    assert.deepEqual(bob.emails, [{ value: 'bob@acme.example' }], text)
  }
})

test('addresses in letters of every script are taken', async () => {
  for (const email of ['rené@acme.example', 'ana@bücher.example', 'мария@почта.рф']) {
    const { status, body } = await post(`user of ${email}`, { emails: [{ value: email, primary: true }] })
    assert.deepEqual([status, body.emails], [201, [{ value: email, primary: true }]])
    assert.deepEqual(await find(`emails.value eq "${email}"`), [`user of ${email}`])
  }
})

test('a user whose address was taken before it had to be valid still leaves, and changes to a valid one', async () => {
  const { body: user } = await post('ada', { emails: [{ value: 'ada@acme.example' }] })
  const emails = [{ value: '<ada@acme.example>' }]
  const attributes = JSON.stringify({ emails })
  await app.db.updateTable('scim_users').set({ attributes }).where('person_id', '=', user.id).execute()
  const left = await patch(user.id, { op: 'replace', path: 'active', value: 'False' })
  assert.deepEqual([left.status, left.body.active, left.body.emails], [200, false, emails])
  const put = await ask('PUT', `/Users/${user.id}`, { body: userOf('ada', { emails, active: true }) })
  assert.deepEqual([put.status, put.body.active], [200, true])
  assert.equal((await patch(user.id, { op: 'replace', path: 'emails.value', value: 'mailto:a@b.example' })).status, 400)
  const mended = await patch(user.id, { op: 'replace', path: 'emails.value', value: 'ada@acme.example' })
  assert.deepEqual([mended.status, mended.body.emails], [200, [{ value: 'ada@acme.example' }]])
})

test('a PUT without active leaves someone out who is out', async () => {
  const { body: user } = await post('ada@acme.example', { title: 'Countess', externalId: 'X' })
  await patch(user.id, { op: 'replace', path: 'active', value: false })
  const { body } = await ask('PUT', `/Users/${user.id}`, { body: userOf('ada@acme.example') })
  assert.deepEqual([body.active, body.title, body.externalId], [false, undefined, undefined])
})
