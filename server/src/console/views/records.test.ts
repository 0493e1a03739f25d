import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn(restrictions: readonly string[] = [], email = 'maya@acme.example') {
  const access = restrictions.length > 0 ? 'limited' : 'full'
  const admin = await addAdmin(app, { email, access, restrictions })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const hoursFromNow = (hours: number) => new Date(Date.parse(app.now()) + hours * 3_600_000).toISOString()

const namesIn = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name)

test('people are listed with their devices and the worst of their states, and counted by the same filter', async () => {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana Ruiz', email: 'ana@halden.example' })
  const bob = await make.person(organizationId, { name: 'Bob', email: 'bob@halden.example' })
  const gone = await make.person(organizationId, { name: 'Gone', email: 'gone@halden.example' })
  await app.db.updateTable('people').set({ deprovisioned_at: app.now() }).where('id', '=', gone.id).execute()
  for (const state of ['good', 'blocked', 'notified'] as const) {
    const { id } = await make.device(organizationId, {
      name: `ana-${state}`,
      registered_owner_id: ana.id,
      registered_at: app.now(),
    })
    await app.db.updateTable('devices').set({ auth_state: state }).where('id', '=', id).execute()
  }
  const other = await app.addTenant('Other')
  await make.person(other.organizationId, { name: 'Ana Foreign' })
  const browser = await signedIn()

  const { body } = await browser.ask('GET', '/views/people')
  assert.deepEqual(body.data, [
    {
      id: ana.id,
      name: 'Ana Ruiz',
      email: 'ana@halden.example',
      devices_count: 3,
      worst_state: 'blocked',
      groups_count: 0,
      created_at: body.data[0].created_at,
      last_authenticated_at: null,
      deprovisioned_at: null,
    },
    { ...body.data[1], id: bob.id, name: 'Bob', devices_count: 0, worst_state: null },
  ])
  const expected: [string, string[]][] = [
    ['status=deprovisioned', ['Gone']],
    ['devices=none', ['Bob']],
    ['devices=some', ['Ana Ruiz']],
    ['devices=blocked', ['Ana Ruiz']],
    ['search=ANA%40', ['Ana Ruiz']],
    ['search=%25', []],
    ['search=_ob', []],
  ]
  for (const [filter, names] of expected) {
    const found = await browser.ask('GET', `/views/people?${filter}`)
    assert.deepEqual(namesIn(found), names, filter)
    assert.deepEqual(
      (await browser.ask('GET', `/views/people?count=true&${filter}`)).body,
      { count: names.length },
      filter,
    )
  }
  const first = await browser.ask('GET', '/views/people?per_page=1')
  const second = await browser.ask('GET', `/views/people?per_page=1&cursor=${first.body.pagination.next_cursor}`)
  assert.deepEqual([...namesIn(first), ...namesIn(second)], ['Ana Ruiz', 'Bob'])
  assert.equal((await browser.ask('GET', '/views/people?devices=many')).status, 422)
  assert.deepEqual(namesIn(await browser.ask('GET', `/views/devices?owner_id=${ana.id}`)).sort(), [
    'ana-blocked',
    'ana-good',
    'ana-notified',
  ])
})

test('sign-ins are listed newest first with the names of then, by result, state, time, person and device', async () => {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { name: 'Ana' })
  const old = await make.authLog(organizationId, {
    person_name: 'Old',
    started_at: hoursFromNow(-48),
    failure_reason: 'blocked_by_issues',
  })
  const late = await make.authLog(organizationId, {
    person_id: person.id,
    person_name: 'Ana then',
    person_email: 'ana@halden.example',
    device_id: '77',
    device_name: 'purged-laptop',
    result: 'Success',
    initial_status: 'will_block',
    started_at: app.now(),
    city: 'Uppsala',
    connection_id: '7',
  })
  const other = await app.addTenant('Other')
  await make.authLog(other.organizationId, { person_name: 'Foreign' })
  const browser = await signedIn()
  const { body } = await browser.ask('GET', '/views/sign_ins')
  assert.deepEqual(body.data[0], {
    id: late.id,
    timestamp: app.now(),
    result: 'Success',
    initial_status: 'will_block',
    person_id: person.id,
    person_name: 'Ana then',
    person_email: 'ana@halden.example',
    device_id: '77',
    device_name: 'purged-laptop',
    ip_address: '192.0.2.7',
    place: 'Uppsala',
    browser_name: 'Firefox',
    application_name: '',
    failure_reason: null,
  })
  const expected: [string, string[]][] = [
    ['', [late.id, old.id]],
    ['since=24h', [late.id]],
    ['result=Fail', [old.id]],
    ['failure_reason=blocked_by_issues', [old.id]],
    ['connection_id=7', [late.id]],
    ['initial_status=will_block', [late.id]],
    [`person_id=${person.id}`, [late.id]],
    ['device_id=77', [late.id]],
    ['search=PURGED', [late.id]],
    ['search=192.0.2', [late.id, old.id]],
    ['search=foreign', []],
  ]
  for (const [filter, ids] of expected) {
    const listed = await browser.ask('GET', `/views/sign_ins?${filter}`)
    assert.deepEqual(
      listed.body.data.map(({ id }: { id: string }) => id),
      ids,
      filter,
    )
    assert.deepEqual(
      (await browser.ask('GET', `/views/sign_ins?count=true&${filter}`)).body,
      { count: ids.length },
      filter,
    )
  }
})

test('the audit log is searched by its words, its actors and the names in it, and shows its hashes', async () => {
  const browser = await signedIn(['manage_device_groups'])
  const full = openBrowser(app)
  await addAdmin(app, { email: 'mira@acme.example' })
  assert.equal((await full.signIn('mira@acme.example')).status, 200)
  const made = await full.ask('POST', '/device_groups', { name: ' 100% "odd" ', description: ' ' })
  assert.equal(made.status, 200)
  assert.deepEqual([made.body.name, made.body.description, made.body.members_count], ['100% "odd"', null, 0])

  const { body } = await browser.ask('GET', '/views/audit_logs?search=100%25')
  assert.equal(body.data.length, 1)
  const [entry] = body.data
  assert.equal(entry.description, 'Created the device group "100% "odd"".')
  assert.equal(entry.actor_info.actor_type, 'User')
  assert.match(entry.hash, /^[0-9a-f]{64}$/)
  assert.match(entry.previous_hash, /^[0-9a-f]{64}$/)
  assert.deepEqual((await browser.ask('GET', `/views/audit_logs/${entry.id}`)).body, entry)
  for (const [filter, count] of [
    ['search=100%25', 1],
    ['search=100_', 0],
    ['about=odd', 1],
    ['about=od', 0],
    ['actor_type=Person', 0],
    ['actor_type=User&since=24h', 1],
  ] as const) {
    const counted = await browser.ask('GET', `/views/audit_logs?count=true&${filter}`)
    const listed = await browser.ask('GET', `/views/audit_logs?${filter}`)
    if (!filter.startsWith('actor_type=User')) assert.deepEqual(counted.body, { count }, filter)
    assert.equal(listed.body.data.length, counted.body.count, filter)
  }
  assert.equal((await browser.ask('GET', '/views/audit_logs/999999999')).status, 404)
  assert.equal((await browser.ask('POST', '/device_groups', { name: 'no' })).status, 403)
  assert.equal((await full.ask('POST', '/device_groups', { name: '  ' })).status, 422)
})

test('people join and leave a group by hand, once each, but not one that the identity provider keeps', async () => {
  const { organizationId } = app.tenant
  const ana = await make.person(organizationId, { name: 'Ana' })
  const group = await make.personGroup(organizationId, { name: 'Finance' })
  const other = await app.addTenant('Other')
  const foreign = await make.person(other.organizationId, { name: 'Foreign' })
  const browser = await signedIn()
  const sentences = async () =>
    (await browser.ask('GET', '/views/audit_logs?about=Finance')).body.data.map(
      ({ description }: { description: string }) => description,
    )
  const path = `/person_groups/${group.id}`
  assert.equal((await browser.ask('POST', `${path}/add`, { person_ids: [foreign.id] })).status, 404)
  for (const _time of [1, 2]) {
    const added = await browser.ask('POST', `${path}/add`, { person_ids: [ana.id] })
    assert.deepEqual(added.body, {
      id: group.id,
      name: 'Finance',
      members_count: 1,
      devices_count: 0,
      is_synced: false,
    })
  }
  assert.deepEqual(namesIn(await browser.ask('GET', `/views/people?group_id=${group.id}`)), ['Ana'])
  for (const _time of [1, 2]) {
    const removed = await browser.ask('POST', `${path}/remove`, { person_ids: [ana.id] })
    assert.equal(removed.body.members_count, 0)
  }
  assert.deepEqual(await sentences(), [
    'Took "Ana" out of the person group "Finance".',
    'Added "Ana" to the person group "Finance".',
  ])
  await app.db
    .insertInto('scim_groups')
    .values({
      organization_id: organizationId,
      person_group_id: group.id,
      display_name: 'Finance',
      created_at: app.now(),
      updated_at: app.now(),
    })
    .execute()
  assert.deepEqual((await browser.ask('GET', `/views/person_groups/${group.id}`)).body.is_synced, true)
  const refused = await browser.ask('POST', `${path}/add`, { person_ids: [ana.id] })
  assert.deepEqual([refused.status, refused.body.errors[0].field], [422, 'person_ids'])
  assert.deepEqual(namesIn(await browser.ask('GET', '/views/person_groups?search=fin')), ['Finance'])
  assert.deepEqual(namesIn(await browser.ask('GET', '/views/person_groups?search=xyz')), [])
})

test('the entries about a record are found whatever it was called then, those from before by its present name', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId, { name: 'Atlas' })
  const twin = await make.device(organizationId, { name: 'Hermes' })
  const other = await app.addTenant('Other')
  const browser = await signedIn()
  const rename = (id: string, name: string) => browser.ask('PATCH', `/devices/${id}`, { name })
  for (const name of ['Borealis', 'Hermes']) assert.equal((await rename(device.id, name)).status, 200)
  await rename(twin.id, 'Atlas')
  const group = (await browser.ask('POST', '/device_groups', { name: 'Lab' })).body
  await browser.ask('POST', `/device_groups/${group.id}/memberships`, { device_ids: [device.id, twin.id] })
  const mine = [
    'Added the devices "Hermes" and "Atlas" to the device group "Lab".',
    'Renamed the device "Borealis" to "Hermes".',
    'Renamed the device "Atlas" to "Borealis".',
  ]
  const found = async (filter: string) => {
    const { body } = await browser.ask('GET', `/views/audit_logs?${filter}`)
    const counted = await browser.ask('GET', `/views/audit_logs?count=true&${filter}`)
    assert.equal(counted.body.count, body.data.length)
    return body.data.map(({ description }: { description: string }) => description)
  }
  assert.deepEqual(await found(`subject=device:${device.id}`), mine)
  assert.deepEqual(await found(`subject=device:${device.id}&about=Hermes`), mine, 'names of entries that know better')
  assert.deepEqual(await found(`subject=device_group:${group.id}`), [mine[0], 'Created the device group "Lab".'])
  assert.deepEqual(await found(`subject=check:${device.id}`), [])

  const old = 'Deleted the device "Hermes".'
  for (const { organizationId: id } of [app.tenant, other]) await insertOld(id, old)
  assert.deepEqual(await found(`subject=device:${device.id}`), mine)
  assert.deepEqual(await found(`subject=device:${device.id}&about=Hermes`), [old, ...mine])
  for (const wrong of ['device', 'device:', 'device:x', 'planet:1', `device:1,device:${device.id}`]) {
    const refused = await browser.ask('GET', `/views/audit_logs?subject=${wrong}`)
    assert.equal(refused.status, 422, wrong)
  }
})

/** As entries were written that did not note what they are about; its place in the chain is of no matter here. */
const insertOld = (organizationId: string, description: string) =>
  app.db
    .insertInto('audit_logs')
    .values({
      organization_id: organizationId,
      timestamp: app.now(),
      actor_type: 'System',
      actor_name: 'Muster',
      description,
      previous_hash: Buffer.alloc(32),
      hash: Buffer.alloc(32),
    })
    .execute()

test('a device group is renamed and described, and deleted once no check names it', async () => {
  const { organizationId, key } = app.tenant
  const group = await make.deviceGroup(organizationId, { name: 'Early', description: 'First of all.' })
  const foreign = await make.deviceGroup((await app.addTenant('Other')).organizationId, { name: 'Foreign' })
  const device = await make.device(organizationId, { groupIds: [group.id] })
  const check = await make.check(organizationId, { name: 'Disk' })
  const browser = await signedIn()
  const path = `/device_groups/${group.id}`
  const sentences = async () =>
    (await browser.ask('GET', `/views/audit_logs?subject=device_group:${group.id}`)).body.data.map(
      ({ description }: { description: string }) => description,
    )
  const change = { name: ' First ', description: null }
  const changed = await browser.ask('PATCH', path, change)
  assert.deepEqual([changed.status, changed.body.name, changed.body.description], [200, 'First', null])
  const told = [
    'Changed the description of the device group "First" from "First of all." to nothing.',
    'Renamed the device group "Early" to "First".',
  ]
  assert.deepEqual(await sentences(), told)
  assert.equal((await browser.ask('PATCH', path, change)).status, 200)
  assert.deepEqual(await sentences(), told, 'the same again writes nothing')
  assert.equal((await browser.ask('PATCH', path, { name: ' ' })).status, 422)

  const configure = (targeted: string[]) =>
    app.ask('PATCH', `/checks/${check.id}/configurations`, { key, body: { targeted_groups: targeted } })
  assert.equal((await configure([group.id])).status, 200)
  const named = {
    id: check.id,
    name: 'Disk',
    is_targeted: true,
    is_excluded: false,
    is_blocked: false,
    is_spared: false,
  }
  assert.deepEqual((await browser.ask('GET', `/views${path}/uses`)).body, { checks: [named] })
  const refused = await browser.ask('DELETE', path)
  assert.equal(refused.status, 422)
  assert.deepEqual(refused.body.errors, [
    { field: 'id', message: 'the check "Disk" names the group: take it out of the configuration first' },
  ])
  assert.equal((await configure([])).status, 200)
  assert.deepEqual((await browser.ask('GET', `/views${path}/uses`)).body, { checks: [] })
  const limited = await signedIn(['manage_device_groups'], 'tom@acme.example')
  for (const method of ['PATCH', 'DELETE']) {
    assert.equal((await limited.ask(method, path, method === 'PATCH' ? change : undefined)).status, 403)
  }
  for (const id of [foreign.id, '900000000000000001']) {
    assert.equal((await browser.ask('DELETE', `/device_groups/${id}`)).status, 404)
    assert.equal((await browser.ask('PATCH', `/device_groups/${id}`, change)).status, 404)
    assert.equal((await browser.ask('GET', `/views/device_groups/${id}/uses`)).status, 404)
  }
  const deleted = await browser.ask('DELETE', path)
  assert.deepEqual([deleted.status, deleted.body.members_count], [200, 1])
  assert.equal((await sentences())[0], 'Deleted the device group "First", in which 1 device was.')
  assert.equal((await browser.ask('GET', `/device_groups/${group.id}`)).status, 404)
  assert.equal((await browser.ask('GET', `/devices/${device.id}`)).status, 200)
})
