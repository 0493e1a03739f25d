import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { rewrittenConnection } from '../../../test/support/rewritten-connection.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { scimClient, scimError } from '../../../test/support/scim-client.ts'
import { buildApp } from '../../app.ts'
import type { Connection } from '../../base/db/connect.ts'
import { createLogger } from '../../base/logging.ts'

const app = testApp()
const make = makeIn(app)
const { ask, begin, addToken } = scimClient(app)
const later = '2026-11-20T12:00:00.000Z'

beforeEach(async () => {
  await app.reset()
  app.setNow('2026-11-20T10:00:00.000Z')
  await begin()
})

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const noRecord = scimError(404, 'There is no such record.')
const noUser = scimError(400, 'A member of the group is no user of this service.', 'invalidValue')

const addUser = async (name: string): Promise<string> =>
  (await ask('POST', '/Users', { body: { schemas: [userUrn], userName: `${name}@acme.example`, displayName: name } }))
    .body.id

const addGroup = async (displayName: string, members: readonly string[] = []): Promise<string> => {
  const body = { schemas: [groupUrn], displayName, members: members.map((value) => ({ value })) }
  return (await ask('POST', '/Groups', { body })).body.id
}

const patchOf = (...operations: unknown[]) => ({ schemas: [patchUrn], Operations: operations })
const patch = (id: string, ...operations: unknown[]) => ask('PATCH', `/Groups/${id}`, { body: patchOf(...operations) })

const membersOf = async (id: string): Promise<string[]> =>
  (await ask('GET', `/Groups/${id}?attributes=members.value`)).body.members?.map(
    ({ value }: { value: string }) => value,
  ) ?? []

const audits = async (): Promise<string[]> =>
  (await app.ask('GET', '/audit_logs?per_page=100')).body.data.map(
    (entry: { description: string }) => entry.description,
  )

/** Users and members as rows, for their number. */
async function fill(groupId: string, count: number): Promise<string[]> {
  const { organizationId } = app.tenant
  const [row] = await unchecked(`
    with added as (
      insert into people (organization_id, name, email, created_at)
      select ${organizationId}, 'Many ' || n, 'many' || n || '@acme.example', '2026-11-20T10:00:00Z'
      from generate_series(1, ${count}) as n returning organization_id, id, email
    ), users as (
      insert into scim_users (organization_id, person_id, user_name, attributes, created_at, updated_at)
      select organization_id, id, email, '{}', '2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z' from added
    ), members as (
      insert into person_group_members (organization_id, person_group_id, person_id)
      select organization_id, ${groupId}, id from added
    )
    select array_agg(id order by id) as ids from added`)
  return row?.['ids'] as string[]
}

/** Without the checks of foreign keys: where the planner took a table for empty, each of them reads all that has come since. */
const unchecked = (statement: string) =>
  app.database.connection.executeScript(`begin; set local session_replication_role = replica; ${statement}; commit`)

/** The app over a connection that notes every statement it runs. */
async function withStatements<T>(
  work: (server: ReturnType<typeof buildApp>, statements: string[]) => Promise<T>,
  rewrite = (text: string) => text,
): Promise<T> {
  const statements: string[] = []
  const connection: Connection = rewrittenConnection(app.database.connection, (text) => {
    statements.push(text)
    return rewrite(text)
  })
  const { config, secrets } = app
  const server = buildApp({ config, connection, secrets, clock: app.now, log: createLogger('silent') })
  try {
    return await work(server, statements)
  } finally {
    await server.close()
  }
}

test('one member of thousands comes and goes without the others being read', async () => {
  const eve = await addUser('eve')
  const id = await addGroup('Everyone')
  const many = await fill(id, 3_000)
  const member = [{ value: eve }]
  const changes = [
    patchOf({ op: 'add', path: 'members', value: member }),
    patchOf({ op: 'remove', path: `members[value eq "${eve}"]` }),
    patchOf({ op: 'Add', path: 'members', value: member }),
    patchOf({ op: 'Remove', path: 'members', value: member }),
  ]
  await withStatements(async (server, statements) => {
    for (const body of changes) {
      statements.length = 0
      assert.equal((await ask('PATCH', `/Groups/${id}`, { body, server })).status, 204)
      assert.ok(statements.length <= 15, `${statements.length} statements`)
    }
    statements.length = 0
    const { body } = await ask('GET', `/Groups/${id}?excludedAttributes=members`, { server })
    assert.equal('members' in body, false)
    await ask('GET', '/Groups?excludedAttributes=members', { server })
    assert.deepEqual(
      statements.filter((text) => text.includes('person_group_members')),
      [],
    )
  })
  assert.deepEqual(await membersOf(id), many)
})

test('thousands of members are set in a bounded number of statements, and all are in the audit log', async () => {
  const id = await addGroup('Everyone')
  const many = await fill(id, 2_500)
  const [stays, ...others] = many
  await withStatements(async (server, statements) => {
    const only = patchOf({ op: 'replace', path: 'members', value: [{ value: stays }] })
    await ask('PATCH', `/Groups/${id}`, { body: only, server })
    assert.deepEqual(await membersOf(id), [stays])
    const all = patchOf({ op: 'add', path: 'members', value: others.map((value) => ({ value })) })
    await ask('PATCH', `/Groups/${id}`, { body: all, server })
    assert.ok(statements.length <= 120, `${statements.length} statements`)
  })
  assert.deepEqual(await membersOf(id), many)
  const entries = await audits()
  const named = (start: string) =>
    entries
      .filter((text) => text.startsWith(start))
      .join()
      .match(/"Many \d+"/g)
  assert.equal(new Set(named('Added "Many')).size, 2_499)
  assert.equal(new Set(named('Took "Many')).size, 2_499)
})

test('a page of groups has whole groups, as many as have a bounded number of members together', async () => {
  const small = await addGroup('Small')
  const large = await addGroup('Large')
  const last = await addGroup('Last')
  await fill(large, 20_001)
  const page = async (startIndex: number) => {
    const { status, body } = await ask('GET', `/Groups?startIndex=${startIndex}&count=10`)
    assert.equal(status, 200, JSON.stringify(body))
    const groups = body.Resources.map((group: { id: string; members: unknown[] }) => [group.id, group.members.length])
    return [body.totalResults, body.itemsPerPage, groups]
  }
  assert.deepEqual(await page(1), [3, 1, [[small, 0]]])
  assert.deepEqual(await page(2), [3, 1, [[large, 20_001]]])
  assert.deepEqual(await page(3), [3, 1, [[last, 0]]])
})

test('operations on members count in their order', async () => {
  const [ada, bob, eve] = [await addUser('ada'), await addUser('bob'), await addUser('eve')]
  const id = await addGroup('Team', [ada])
  const value = (...ids: string[]) => ids.map((one) => ({ value: one }))
  const cases: [operations: unknown[], members: string[]][] = [
    [
      [
        { op: 'add', path: 'members', value: value(bob) },
        { op: 'remove', path: `members[value eq "${bob}"]` },
      ],
      [ada],
    ],
    [
      [
        { op: 'remove', path: 'members' },
        { op: 'add', value: { members: value(bob, eve) } },
      ],
      [bob, eve],
    ],
    [
      [
        { op: 'replace', value: { members: value(ada) } },
        { op: 'add', path: 'members', value: value(eve)[0] },
      ],
      [ada, eve],
    ],
    [[{ op: 'remove', path: `members[value eq "${ada}" or value eq "${eve}"]` }], []],
    [[{ op: 'add', path: `${groupUrn}:members`, value: value(ada, ada, bob) }], [ada, bob]],
    [[{ op: 'remove', path: 'members', value: [] }], [ada, bob]],
    [[{ op: 'remove', path: 'members', value: null }], []],
  ]
  for (const [operations, members] of cases) {
    const { status, body } = await patch(id, ...operations)
    assert.deepEqual([status, body], [204, undefined], JSON.stringify(operations))
    assert.deepEqual(await membersOf(id), members, JSON.stringify(operations))
  }
})

test('a change of members is whole or nothing', async () => {
  const other = await app.addTenant()
  const token = await addToken(other.organizationId)
  const { body: stranger } = await ask('POST', '/Users', {
    body: { schemas: [userUrn], userName: 'eve@acme.example' },
    token,
  })
  const ada = await addUser('ada')
  const { id: unmanaged } = await make.person(app.tenant.organizationId)
  const id = await addGroup('Team')
  const before = await rowVersions(app.db)
  for (const value of [stranger.id, unmanaged, id.padStart(18, '9'), 'x', '01', '', 7, null, {}, '\0']) {
    const operation = { op: 'add', path: 'members', value: [{ value: ada }, { value }] }
    const { status, body } = await patch(id, operation, { op: 'replace', path: 'displayName', value: 'Other' })
    assert.deepEqual([status, body], [400, noUser], String(value))
    const made = await ask('POST', '/Groups', {
      body: { schemas: [groupUrn], displayName: 'New', members: [{ value: ada }, { value }] },
    })
    assert.deepEqual([made.status, made.body], [400, noUser], String(value))
  }
  assert.deepEqual(await rowVersions(app.db), before)
})

test('what cannot be changed of a group is refused', async () => {
  const ada = await addUser('ada')
  const id = await addGroup('Team', [ada])
  const cases: [operation: unknown, scimType: string][] = [
    [{ op: 'replace', path: 'displayName', value: '' }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 7 }, 'invalidValue'],
    [{ op: 'remove', path: 'displayName' }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 'x'.repeat(401) }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 'a\0b' }, 'invalidValue'],
    [{ op: 'replace', path: 'displayName', value: 'a\ud800b' }, 'invalidValue'],
    [{ op: 'replace', path: 'id', value: '7' }, 'invalidPath'],
    [{ op: 'replace', path: '__proto__.x', value: '7' }, 'invalidPath'],
    [{ op: 'replace', path: `members[value eq "${ada}"]`, value: { value: '9' } }, 'mutability'],
    [{ op: 'replace', path: 'members.value', value: '9' }, 'mutability'],
    [{ op: 'remove', path: 'members[display eq "ada"]' }, 'invalidFilter'],
    [{ op: 'remove', path: 'members[value pr]' }, 'invalidFilter'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'add', path: 'members', value: Array.from({ length: 20_001 }, () => ({ value: ada })) }, 'tooMany'],
  ]
  for (const [operation, scimType] of cases) {
    const { status, body } = await patch(id, operation)
    assert.deepEqual([status, body.scimType], [400, scimType], JSON.stringify(operation).slice(0, 100))
  }
  assert.deepEqual(await membersOf(id), [ada])
})

test('a PUT without members leaves them, one with an empty list takes them out', async () => {
  const ada = await addUser('ada')
  const id = await addGroup('Team', [ada])
  const put = (body: object) =>
    ask('PUT', `/Groups/${id}`, { body: { schemas: [groupUrn], displayName: 'Team', ...body } })
  assert.equal((await put({})).body.meta.version, 'W/"1"')
  assert.deepEqual(await membersOf(id), [ada])
  assert.deepEqual((await put({ members: [] })).body.members, [])
})

test('groups are found by name, identifier and member, and no otherwise', async () => {
  const [ada, bob] = [await addUser('ada'), await addUser('bob')]
  const team = await addGroup('Team', [ada])
  app.setNow(later)
  const crew = await addGroup('Crew', [bob])
  await patch(crew, { op: 'add', path: 'externalId', value: 'X1' })
  await make.personGroup(app.tenant.organizationId, { name: 'By hand' })
  const find = async (filter: string) => {
    const { status, body } = await ask('GET', `/Groups?attributes=id&filter=${encodeURIComponent(filter)}`)
    return status === 200 ? body.Resources.map(({ id }: { id: string }) => id) : body.scimType
  }
  const cases: [filter: string, found: unknown][] = [
    ['displayName eq "TEAM"', [team]],
    ['displayName eq "By hand"', []],
    ['externalId eq "X1"', [crew]],
    [`id eq "${crew}"`, [crew]],
    [`members.value eq "${ada}"`, [team]],
    [`members[value eq "${bob}"]`, [crew]],
    ['members eq "x"', []],
    [`meta.lastModified gt "2026-11-20T10:00:00Z"`, [crew]],
    [`displayName eq "team" or externalId eq "X1"`, [team, crew]],
    ['displayName co "e"', 'invalidFilter'],
    ['members.display eq "ada"', 'invalidFilter'],
    ['members[value eq "1" and type eq "User"]', 'invalidFilter'],
    ['userName eq "ada"', 'invalidFilter'],
  ]
  for (const [filter, found] of cases) assert.deepEqual(await find(filter), found, filter)
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: 'displayName eq "crew"' }
  assert.equal((await ask('POST', '/Groups/.search', { body })).body.Resources[0].id, crew)
})

test('a group made by hand is not to be had, and one of its name is another', async () => {
  const { organizationId } = app.tenant
  const byHand = await make.personGroup(organizationId, { name: 'Engineering' })
  for (const method of ['GET', 'DELETE'] as const) {
    const { status, body } = await ask(method, `/Groups/${byHand.id}`)
    assert.deepEqual([status, body], [404, noRecord])
  }
  assert.notEqual(await addGroup('Engineering'), byHand.id)
})

test('devices that members of a deleted group could sign in with keep their other groups, or are the owner’s alone', async () => {
  const { organizationId } = app.tenant
  const owner = await addUser('ada')
  const [gone, stays] = [await addGroup('Gone'), await addGroup('Stays')]
  const setMode = (deviceId: string, groups: string[]) =>
    app.ask('PATCH', `/devices/${deviceId}/authentication_mode`, {
      body: { authentication_mode: 'only_registered_owner_or_group_members', person_group_ids: groups },
    })
  const one = await make.device(organizationId, { registered_owner_id: owner })
  const two = await make.device(organizationId, { registered_owner_id: owner })
  assert.equal((await setMode(one.id, [gone])).status, 200)
  assert.equal((await setMode(two.id, [gone, stays])).status, 200)
  assert.equal((await ask('DELETE', `/Groups/${gone}`)).status, 204)
  const modeOf = async (id: string) => (await app.ask('GET', `/devices/${id}`)).body.auth_configuration
  assert.equal((await modeOf(one.id)).authentication_mode, 'only_registered_owner')
  assert.equal((await modeOf(two.id)).authentication_mode, 'only_registered_owner_or_group_members')
  assert.equal((await audits())[0], 'Deleted the person group "Gone", after which 1 device is for the owner alone.')
})

testOnPostgres('members that come and go at once all count', async () => {
  const id = await addGroup('Team')
  const users = []
  for (let index = 0; index < 8; index += 1) users.push(await addUser(`u${index}`))
  const statuses = await Promise.all(
    users.map(async (value) => (await patch(id, { op: 'Add', path: 'members', value: [{ value }] })).status),
  )
  assert.deepEqual(new Set(statuses), new Set([204]))
  assert.deepEqual(await membersOf(id), users)
  await Promise.all([
    ...users.slice(0, 4).map((user) => ask('DELETE', `/Users/${user}`)),
    ...users.slice(4).map((user) => patch(id, { op: 'remove', path: `members[value eq "${user}"]` })),
  ])
  assert.deepEqual(await membersOf(id), [])
})

test('records of another organization are as unknown as nobody’s, and only the predicate keeps them apart', async () => {
  const other = await app.addTenant()
  const token = await addToken(other.organizationId)
  const theirs = await ask('POST', '/Groups', { body: { schemas: [groupUrn], displayName: 'Team' }, token })
  const { body: user } = await ask('POST', '/Users', {
    body: { schemas: [userUrn], userName: 'e@acme.example' },
    token,
  })
  const leaks = async (server = app.app) => {
    const answers = []
    for (const path of [`/Groups/${theirs.body.id}`, `/Users/${user.id}`, '/Groups', '/Users']) {
      const { status, body } = await ask('GET', path, { server })
      answers.push(status === 404 || body.totalResults === 0)
    }
    return answers
  }
  assert.deepEqual(await leaks(), [true, true, true, true])
  for (const id of [theirs.body.id, '900000000000000001']) {
    const answers = [
      await patch(id, { op: 'replace', path: 'displayName', value: 'x' }),
      await ask('PUT', `/Groups/${id}`, { body: { schemas: [groupUrn], displayName: 'x' } }),
      await ask('DELETE', `/Groups/${id}`),
    ]
    for (const { status, body } of answers) assert.deepEqual([status, body], [404, noRecord])
  }
  const without = (table: string) => (text: string) =>
    text.replace(new RegExp(`"${table}"\\."organization_id" = (\\$\\d+)::bigint`, 'g'), '($1::bigint is not null)')
  await withStatements(async (server) => {
    assert.deepEqual(await leaks(server), [false, true, false, true])
  }, without('scim_groups'))
  await withStatements(async (server) => {
    assert.deepEqual(await leaks(server), [true, false, true, false])
  }, without('scim_users'))
})
