import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { addPersonGroupMembers } from './add-person-group-members.ts'
import { createDeviceGroup } from './create-device-group.ts'
import { createPersonGroup } from './create-person-group.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }
const lastPage = (count: number) => ({ next: '', current_cursor: '', next_cursor: '', count })

beforeEach(() => app.reset())

const search = async (path: string, query: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

const lastAudits = async (count: number): Promise<string[]> => {
  const { body } = await app.ask('GET', `/audit_logs?per_page=${count}`)
  return body.data.map((entry: { description: string }) => entry.description)
}

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listDeviceGroups and getDeviceGroup answer groups with their counts in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const early = await make.deviceGroup(organizationId, { name: 'Early', description: 'First of all.' })
    const late = await make.deviceGroup(organizationId, { name: 'Late', created_at: '2026-11-21T00:00:00.001Z' })
    await make.device(organizationId, { groupIds: [early.id] })
    const groups = [
      {
        id: early.id,
        created_at: '2026-11-20T10:00:00.000Z',
        name: 'Early',
        description: 'First of all.',
        members_count: 1,
      },
      { id: late.id, created_at: '2026-11-21T00:00:00.001Z', name: 'Late', description: null, members_count: 0 },
    ]
    const list = await app.ask('GET', '/device_groups', { headers })
    const record = await app.ask('GET', `/device_groups/${early.id}`, { headers, key: app.tenant.readOnlyKey })
    assert.deepEqual([list.status, list.body], [200, { data: groups, pagination: lastPage(2) }])
    assert.deepEqual([record.status, record.body], [200, groups[0]])
  })

  test(`listPersonGroups, getPersonGroup, listPeopleOfGroup and listGroupsOfPerson agree in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const ada = await make.person(organizationId, { name: 'Ada', email: 'ada@acme.example' })
    await make.person(organizationId)
    const finance = await make.personGroup(organizationId, { name: 'Finance', personIds: [ada.id] })
    const sales = await make.personGroup(organizationId, { name: 'Sales' })
    const groups = [
      { id: finance.id, name: 'Finance' },
      { id: sales.id, name: 'Sales' },
    ]
    const person = {
      id: ada.id,
      name: 'Ada',
      email: 'ada@acme.example',
      created_at: '2026-11-20T10:00:00.000Z',
      last_authenticated_at: null,
      has_registered_device: false,
      usernames: [],
    }
    const answers: [path: string, body: unknown][] = [
      ['/person_groups', { data: groups, pagination: lastPage(2) }],
      [`/person_groups/${sales.id}`, groups[1]],
      [`/person_groups/${finance.id}/people`, { data: [person], pagination: lastPage(1) }],
      [`/person_groups/${sales.id}/people`, { data: [], pagination: lastPage(0) }],
      [`/people/${ada.id}/person_groups`, { data: [groups[0]], pagination: lastPage(1) }],
    ]
    for (const [path, expected] of answers) {
      const { status, body } = await app.ask('GET', path, { headers })
      assert.deepEqual([status, body], [200, expected], path)
    }
  })
}

test('device groups are searched by name, description and creation', async () => {
  const { organizationId } = app.tenant
  const { id: one } = await make.deviceGroup(organizationId, { name: 'One', description: 'Needs 10_000 care' })
  const { id: two } = await make.deviceGroup(organizationId, { name: 'Two', created_at: '2026-11-21T00:00:00.001Z' })
  const found: [query: string, ids: string[]][] = [
    ['name:One', [one]],
    ['name~O', [one, two]],
    ['description:"Needs 10_000 care"', [one]],
    ['description~_0', [one]],
    ['description:null', [two]],
    ['created_at:2026-11-21T00:00:00.001Z', [two]],
    ['created_at<2026-11-21', [one]],
    ['created_at>2026-11-20T10:00:00Z', [two]],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search('/device_groups', query), ids, query)
})

test('person groups are searched by name, also those of one person', async () => {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId)
  const { id: finance } = await make.personGroup(organizationId, { name: 'Finance', personIds: [ada.id] })
  const { id: sales } = await make.personGroup(organizationId, { name: 'Sales', personIds: [ada.id] })
  await make.personGroup(organizationId, { name: 'Sales abroad' })
  assert.deepEqual(await search('/person_groups', 'name:Finance OR name:Sales'), [finance, sales])
  assert.deepEqual(await search(`/people/${ada.id}/person_groups`, 'name~SALES'), [sales])
  const { status, body } = await app.ask('GET', `/person_groups?query=id:${sales}`)
  assert.deepEqual([status, body.error], [422, 'search_invalid'])
})

test('pages of groups follow one another', async () => {
  const { organizationId } = app.tenant
  const made: string[] = []
  for (let index = 0; index < 3; index += 1) made.push((await make.deviceGroup(organizationId)).id)
  const first = await app.ask('GET', '/device_groups?per_page=2')
  const second = await app.ask('GET', `/device_groups?per_page=2&cursor=${first.body.pagination.next_cursor}`)
  const ids = [first, second].map(({ body }) => body.data.map((row: { id: string }) => row.id))
  assert.deepEqual(ids, [made.slice(0, 2), made.slice(2)])
  assert.equal(second.body.pagination.next, '')
})

test('a group of another organization is not there', async () => {
  const other = await app.addTenant()
  const group = await make.deviceGroup(other.organizationId)
  const answers = [await app.ask('GET', `/device_groups/${group.id}`), await app.ask('GET', '/device_groups/987654321')]
  for (const { status, body } of answers) assert.deepEqual([status, body], [404, missing])
  assert.deepEqual(await search('/device_groups', ''), [])
})

test('making groups and adding people is audited, and only news is', async () => {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId, { name: 'Ada' })
  const bob = await make.person(organizationId, { name: 'Bob' })
  const by = systemChange(organizationId, app.now())
  await transact(app.db, async (tx) => {
    await createDeviceGroup(tx, { name: 'Early', description: null }, by)
    const personGroupId = await createPersonGroup(tx, { name: 'Finance' }, by)
    await addPersonGroupMembers(tx, { personGroupId, personIds: [bob.id, ada.id, bob.id] }, by)
    await addPersonGroupMembers(tx, { personGroupId, personIds: [ada.id] }, by)
  })
  assert.deepEqual(await lastAudits(3), [
    'Added "Bob" and "Ada" to the person group "Finance".',
    'Created the person group "Finance".',
    'Created the device group "Early".',
  ])
  assert.deepEqual(await search('/device_groups', 'name:Early').then((ids) => ids.length), 1)
})

test('people are added to a group all or none', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const [ada, stranger] = [await make.person(organizationId), await make.person(other.organizationId)]
  const group = await make.personGroup(organizationId)
  const addition = { personGroupId: group.id, personIds: [ada.id, stranger.id] }
  const context = systemChange(organizationId, app.now())
  const adding = transact(app.db, (tx) => addPersonGroupMembers(tx, addition, context))
  await assert.rejects(adding, (error) => error instanceof ServiceError && error.code === 'not_found')
  assert.deepEqual(await search(`/person_groups/${group.id}/people`, ''), [])
})
