import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const missing = { error: 'not_found', message: 'There is no such record.' }
const lastPage = (count: number) => ({ next: '', current_cursor: '', next_cursor: '', count })

beforeEach(() => app.reset())

const idsOf = async (url: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

const search = (path: string, query: string) => idsOf(`${path}?query=${encodeURIComponent(query)}`)

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listPeople and getPerson answer people in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const ada = await make.person(organizationId, {
      name: 'Ada Lovelace',
      email: 'ada@acme.example',
      usernames: ['ada', 'lovelace'],
      last_authenticated_at: '2026-11-19T08:00:00.250Z',
    })
    const tomas = await make.person(organizationId, { name: 'Tomas Okafor', email: 'tomas@acme.example' })
    await make.device(organizationId, { registered_owner_id: ada.id })
    const people = [
      {
        id: ada.id,
        name: 'Ada Lovelace',
        email: 'ada@acme.example',
        created_at: start,
        last_authenticated_at: '2026-11-19T08:00:00.250Z',
        has_registered_device: true,
        usernames: ['ada', 'lovelace'],
      },
      {
        id: tomas.id,
        name: 'Tomas Okafor',
        email: 'tomas@acme.example',
        created_at: start,
        last_authenticated_at: null,
        has_registered_device: false,
        usernames: [],
      },
    ]
    const list = await app.ask('GET', '/people', { headers })
    const record = await app.ask('GET', `/people/${ada.id}`, { headers, key: app.tenant.readOnlyKey })
    assert.deepEqual([list.status, list.body], [200, { data: people, pagination: lastPage(2) }])
    assert.deepEqual([record.status, record.body], [200, people[0]])
  })

  test(`listDeprovisionedPeople has those alone who are gone in version ${version}`, async () => {
    const { organizationId } = app.tenant
    await make.person(organizationId)
    const gone = await make.person(organizationId, {
      name: 'Grace Hopper',
      email: 'grace@acme.example',
      deprovisioned_at: start,
    })
    const { status, body } = await app.ask('GET', '/deprovisioned_people', { headers })
    const record = {
      id: gone.id,
      name: 'Grace Hopper',
      email: 'grace@acme.example',
      created_at: start,
      last_authenticated_at: null,
      has_registered_device: false,
      api_url: `https://muster.test/people/${gone.id}`,
    }
    assert.deepEqual([status, body], [200, { data: [record], pagination: lastPage(1) }])
  })
}

test('only a living device makes someone the holder of a registered device', async () => {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId)
  const isHolder = async () => (await app.ask('GET', `/people/${person.id}`)).body.has_registered_device
  assert.equal(await isHolder(), false)
  await make.device(organizationId, { registered_owner_id: person.id, deleted_at: start })
  assert.equal(await isHolder(), false)
  await make.device(organizationId, { registered_owner_id: person.id })
  assert.equal(await isHolder(), true)
})

test('a deprovisioned person is nobody in the lists of people', async () => {
  const { organizationId } = app.tenant
  const stays = await make.person(organizationId)
  const gone = await make.person(organizationId, { deprovisioned_at: start })
  const group = await make.personGroup(organizationId, { personIds: [stays.id, gone.id] })
  assert.deepEqual(await idsOf('/people'), [stays.id])
  assert.deepEqual(await idsOf(`/person_groups/${group.id}/people`), [stays.id])
  assert.deepEqual(await search('/people', `id:${gone.id}`), [])
  // Other records continue linking to the person, so that link still leads somewhere.
  assert.equal((await app.ask('GET', `/people/${gone.id}`)).body.id, gone.id)
  const paths = ['/person_groups', '/registered_devices', '/open_issues']
  for (const path of paths) {
    const { status, body } = await app.ask('GET', `/people/${gone.id}${path}`)
    assert.deepEqual([status, body], [404, missing], path)
  }
})

test('people are searched by identifier, address, name and last sign-in', async () => {
  const { organizationId } = app.tenant
  const at = '2026-11-19T08:00:00.250Z'
  const columns = { name: 'Ada 100%', email: 'Ada@acme.example', last_authenticated_at: at }
  const { id: ada } = await make.person(organizationId, columns)
  const { id: bob } = await make.person(organizationId, { name: 'Bob', email: 'bob@acme.example' })
  const found: [query: string, ids: string[]][] = [
    [`id:${bob}`, [bob]],
    [`id:["${ada}","${bob}"]`, [ada, bob]],
    [`id:[${ada},${bob}]`, [ada, bob]],
    ['id:99999999999999999999', []],
    ['email:ADA@ACME.EXAMPLE', [ada]],
    ['email~acme', [ada, bob]],
    ['email~"BOB@"', [bob]],
    ['name:Bob', [bob]],
    ['name:bob', []],
    ['name~ADA', [ada]],
    ['name~%', [ada]],
    [`last_authenticated_at:"${at}"`, [ada]],
    ['last_authenticated_at>2026-11-19', [ada]],
    ['last_authenticated_at<2026-11-19', []],
    ['last_authenticated_at:null', [bob]],
    ['name:Bob OR email~ada', [ada, bob]],
    ['name:Bob AND email~ada', []],
    ['', [ada, bob]],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search('/people', query), ids, query)
})

test('the same search works on deprovisioned people and on the people of a group', async () => {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId, { name: 'Ada' })
  const bob = await make.person(organizationId, { name: 'Bob' })
  const group = await make.personGroup(organizationId, { personIds: [ada.id, bob.id] })
  assert.deepEqual(await search(`/person_groups/${group.id}/people`, 'name~b'), [bob.id])
  const gone = await make.person(organizationId, { name: 'Bobby', deprovisioned_at: start })
  await make.person(organizationId, { name: 'Carl', deprovisioned_at: start })
  assert.deepEqual(await search('/deprovisioned_people', 'name~bob'), [gone.id])
})

test('a field that people cannot be searched by is refused', async () => {
  for (const query of ['usernames~ada', 'has_registered_device:true', 'name<a', 'id~1']) {
    const { status, body } = await app.ask('GET', `/people?query=${encodeURIComponent(query)}`)
    assert.deepEqual([status, body.error], [422, 'search_invalid'], query)
  }
})

test('pages of people follow one another without gap or repeat', async () => {
  const { organizationId } = app.tenant
  const made: string[] = []
  for (let index = 0; index < 5; index += 1) made.push((await make.person(organizationId)).id)
  const seen: string[] = []
  for (let url = '/people?per_page=2&query=name~person'; url !== ''; ) {
    const { body } = await app.ask('GET', url)
    seen.push(...body.data.map((row: { id: string }) => row.id))
    const { next } = body.pagination
    assert.ok(next === '' || next.startsWith('https://muster.test/people?'), next)
    url = next.replace('https://muster.test', '')
  }
  assert.deepEqual(seen, made)
})

test('another organization and nobody are the same 404', async () => {
  const other = await app.addTenant()
  const stranger = await make.person(other.organizationId)
  const group = await make.personGroup(other.organizationId, { personIds: [stranger.id] })
  const unknown = '987654321'
  const paths: [foreign: string, absent: string][] = [
    [`/people/${stranger.id}`, `/people/${unknown}`],
    [`/people/${stranger.id}/person_groups`, `/people/${unknown}/person_groups`],
    [`/person_groups/${group.id}`, `/person_groups/${unknown}`],
    [`/person_groups/${group.id}/people`, `/person_groups/${unknown}/people`],
  ]
  for (const [foreign, absent] of paths) {
    const answers = [await app.ask('GET', foreign), await app.ask('GET', absent)]
    for (const { status, body } of answers) assert.deepEqual([status, body], [404, missing], foreign)
  }
  for (const path of ['/people', '/deprovisioned_people', '/person_groups']) assert.deepEqual(await idsOf(path), [])
})
