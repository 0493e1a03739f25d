import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { invalidBody } from '../../../test/support/invalid-body.ts'
import { makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { setFeature } from '../organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const missing = { error: 'not_found', message: 'There is no such record.' }
const refusal = invalidBody

beforeEach(() => app.reset())

const idsOf = async (url: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

const search = (path: string, query: string) => idsOf(`${path}?query=${encodeURIComponent(query)}`)

const setMode = (deviceId: string, body: unknown, key = app.tenant.key, method = 'PATCH') =>
  app.ask(method, `/devices/${deviceId}/authentication_mode`, { key, body })

const audits = () =>
  app.db
    .selectFrom('audit_logs')
    .select(['description', 'actor_type', 'actor_id', 'actor_name', 'ip_address', 'timestamp'])
    .where('description', 'like', 'Changed who may sign in%')
    .orderBy('id')
    .execute()

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listDevices and getDevice answer whole records, and so do the nested lists, in version ${version}`, async () => {
    const { organizationId, readOnlyKey } = app.tenant
    const owner = await make.person(organizationId)
    const finance = await make.personGroup(organizationId, { name: 'Finance' })
    const sales = await make.personGroup(organizationId, { name: 'Sales' })
    const early = await make.deviceGroup(organizationId)
    const check = await make.check(organizationId, { configuration: { remediation_strategy: 'warn_then_block' } })
    const known = {
      name: "Ada's MacBook Pro",
      last_authenticated_at: '2026-11-19T08:00:00.250Z',
      operating_system: 'macOS 26.1',
      hardware_model: 'MacBook Pro (14-inch, 2025)',
      serial: 'C02XL0GTJGH5',
      hardware_uuid: '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D10',
      note: 'Lent until spring.',
      product_image_url: 'https://images.example/macbook.png',
    }
    const registered = { registered_owner_id: owner.id, registered_at: '2026-11-18T07:06:05.004Z' }
    const mac = await make.device(organizationId, { ...known, ...registered, groupIds: [early.id] })
    const bare = await make.device(organizationId, { name: 'Phone', device_type: 'iOS', form_factor: 'phone' })
    await make.issue({ device: mac, check })
    const groupIds = [sales.id, finance.id]
    const mode = 'only_registered_owner_or_group_members'
    await setMode(mac.id, { authentication_mode: mode, person_group_ids: groupIds })
    const seen = { organization_id: organizationId, device_id: mac.id, last_seen_at: '2026-11-20T09:59:58.123Z' }
    await app.db.insertInto('device_presence').values(seen).execute()
    const full = {
      id: mac.id,
      ...known,
      registered_at: '2026-11-18T07:06:05.004Z',
      last_seen_at: '2026-11-20T09:59:58.123Z',
      registered_owner_info: { identifier: owner.id, link: `https://muster.test/people/${owner.id}` },
      auth_state: 'Will Block',
      will_block_at: '2026-11-27T10:00:00.000Z',
      auth_configuration: {
        device_id: mac.id,
        authentication_mode: mode,
        person_groups: [
          { id: finance.id, name: 'Finance' },
          { id: sales.id, name: 'Sales' },
        ],
      },
      device_type: 'Mac',
      form_factor: 'computer',
      agent_version: null,
      enrolled_at: null,
      registration_suspended_at: null,
      identity_conflict_since: null,
    }
    const empty = {
      id: bare.id,
      name: 'Phone',
      registered_at: null,
      last_authenticated_at: null,
      last_seen_at: null,
      registered_owner_info: { identifier: '', link: null },
      operating_system: null,
      hardware_model: null,
      serial: null,
      hardware_uuid: null,
      note: null,
      auth_state: 'Good',
      will_block_at: null,
      product_image_url: null,
      auth_configuration: null,
      device_type: 'iOS',
      form_factor: 'phone',
      agent_version: null,
      enrolled_at: null,
      registration_suspended_at: null,
      identity_conflict_since: null,
    }
    const page = (...data: object[]) => ({
      data,
      pagination: { next: '', current_cursor: '', next_cursor: '', count: data.length },
    })
    const answers: [path: string, body: unknown][] = [
      ['/devices', page(full, empty)],
      [`/devices/${mac.id}`, full],
      [`/devices/${bare.id}`, empty],
      [`/people/${owner.id}/registered_devices`, page(full)],
      [`/device_groups/${early.id}/devices`, page(full)],
    ]
    for (const [path, expected] of answers) {
      const { status, body } = await app.ask('GET', path, { headers, key: readOnlyKey })
      assert.deepEqual([status, body], [200, expected], path)
    }
  })

  test(`updateDeviceAuthenticationMode answers the mode, by PATCH and by PUT, in version ${version}`, async () => {
    const { organizationId } = app.tenant
    const owner = await make.person(organizationId)
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    const finance = await make.personGroup(organizationId, { name: 'Finance' })
    const url = `/devices/${device.id}/authentication_mode`
    const grouped = { authentication_mode: 'only_registered_owner_or_group_members', person_group_ids: [finance.id] }
    const patched = await app.ask('PATCH', url, { headers, body: grouped })
    const answer = {
      device_id: device.id,
      authentication_mode: 'only_registered_owner_or_group_members',
      person_groups: [{ id: finance.id, name: 'Finance' }],
    }
    assert.deepEqual([patched.status, patched.body], [200, answer])
    assert.deepEqual((await app.ask('GET', `/devices/${device.id}`, { headers })).body.auth_configuration, answer)
    const put = await app.ask('PUT', url, { headers, body: { authentication_mode: 'anyone' } })
    const anyone = { device_id: device.id, authentication_mode: 'anyone', person_groups: [] }
    assert.deepEqual([put.status, put.body], [200, anyone])
    assert.deepEqual((await app.ask('GET', `/devices/${device.id}`, { headers })).body.auth_configuration, anyone)
  })
}

test('each auth state has its word', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const states: [strategy: 'report_only' | 'notify_only' | 'warn_then_block' | 'block_immediately', word: string][] = [
    ['report_only', 'Good'],
    ['notify_only', 'Notified'],
    ['warn_then_block', 'Will Block'],
    ['block_immediately', 'Blocked'],
  ]
  for (const [remediation_strategy, word] of states) {
    const check = await make.check(organizationId, { configuration: { remediation_strategy } })
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    await make.issue({ device, check })
    assert.equal((await app.ask('GET', `/devices/${device.id}`)).body.auth_state, word)
  }
})

test('devices are searched by every searchable field, in all three lists', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { email: 'Ada.Ruiz@acme.example' })
  const group = await make.deviceGroup(organizationId)
  const check = await make.check(organizationId, {
    platforms: ['darwin'],
    configuration: { remediation_strategy: 'warn_then_block' },
  })
  const full = await make.device(organizationId, {
    name: 'Ada 100%',
    serial: 'C02_XL',
    note: 'Lent "until" spring',
    hardware_uuid: '5E2B6C1F-0E43',
    last_authenticated_at: '2026-11-19T08:00:00.250Z',
    registered_owner_id: owner.id,
    registered_at: '2026-11-18T07:06:05.004Z',
    groupIds: [group.id],
  })
  await make.issue({ device: full, check })
  const plain = await make.device(organizationId, { name: 'Bob', device_type: 'Windows', groupIds: [group.id] })
  const tablet = await make.device(organizationId, {
    name: 'bob',
    device_type: 'iOS',
    form_factor: 'tablet',
    registered_owner_id: owner.id,
    serial: 'null',
  })
  const [one, two, three] = [full.id, plain.id, tablet.id]
  const found: [query: string, ids: string[]][] = [
    [`id:${two}`, [two]],
    [`id:"${two}"`, [two]],
    [`id:["${one}","${three}"]`, [one, three]],
    [`id:[${one},${two},987654321]`, [one, two]],
    ['id:99999999999999999999', []],
    ['id:x', []],
    ['name:Bob', [two]],
    ['name:"Ada 100%"', [one]],
    ['name~BOB', [two, three]],
    ['name~%', [one]],
    ['name:null', []],
    ['registered_at:"2026-11-18T07:06:05.004Z"', [one]],
    ['registered_at:2026-11-18T09:06:05.004+02:00', [one]],
    ['registered_at<2026-11-20', [one]],
    ['registered_at<"2026-11-18T07:06:05.004Z"', []],
    ['registered_at>"2026-11-18T07:06:05.004Z"', [three]],
    ['registered_at:null', [two]],
    ['last_authenticated_at:2026-11-19T08:00:00.250Z', [one]],
    ['last_authenticated_at<2026-11-20', [one]],
    ['last_authenticated_at>2026-11-20', []],
    ['last_authenticated_at:null', [two, three]],
    ['serial:C02_XL', [one]],
    ['serial:c02_xl', [one]],
    ['serial:["c02_xl","NULL"]', [one, three]],
    ['serial~2_x', [one]],
    ['serial~_', [one]],
    ['serial:null', [two]],
    ['registered_owner:ada.ruiz@acme.example', [one, three]],
    ['registered_owner:null', [two]],
    ['serial:"null"', [three]],
    ['note:"Lent \\"until\\" spring"', [one]],
    ['note~UNTIL', [one]],
    ['note:null', [two, three]],
    ['hardware_uuid:5E2B6C1F-0E43', [one]],
    ['hardware_uuid~5e2b', [one]],
    ['hardware_uuid:null', [two, three]],
    ['device_type:Windows', [two]],
    ['device_type:mac', [one]],
    ['device_type:Android', []],
    ['will_block_at:"2026-11-27T10:00:00.000Z"', [one]],
    ['will_block_at<2026-11-28', [one]],
    ['will_block_at>2026-11-28', []],
    ['will_block_at:null', [two, three]],
    ['device_type:iOS OR name:Bob AND serial:null', [two, three]],
    ['', [one, two, three]],
  ]
  const lists: [path: string, members: string[]][] = [
    ['/devices', [one, two, three]],
    [`/people/${owner.id}/registered_devices`, [one, three]],
    [`/device_groups/${group.id}/devices`, [one, two]],
  ]
  for (const [path, members] of lists) {
    for (const [query, ids] of found) {
      const expected = ids.filter((id) => members.includes(id))
      assert.deepEqual(await search(path, query), expected, `${path} ${query}`)
    }
  }
})

test('a hardware UUID and a serial are found in either case, with their indexes', async () => {
  const { organizationId } = app.tenant
  const upper = await make.device(organizationId, { hardware_uuid: 'AE3B105F-0E43-5B0B-9D61-7A1C3F3E2D10' })
  const mixed = await make.device(organizationId, { hardware_uuid: '5e2b6c1f-0e43-5b0b-9d61-7a1c3f3e2D11' })
  await make.device(organizationId, { hardware_uuid: 'AE3B105F-0E43-5B0B-9D61-7A1C3F3E2D12' })
  const found = (query: string) => idsOf(`/devices?query=${encodeURIComponent(query)}`)
  const [one, other] = ['ae3b105f-0e43-5b0b-9d61-7a1c3f3e2d10', '5E2B6C1F-0E43-5B0B-9D61-7A1C3F3E2D11']
  assert.deepEqual(await found(`hardware_uuid:${one}`), [upper.id])
  assert.deepEqual(await found(`hardware_uuid:"${other}"`), [mixed.id])
  assert.deepEqual(await found(`hardware_uuid:["${one}","${other}"]`), [upper.id, mixed.id])
  await transact(app.db, async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx)
    for (const column of ['hardware_uuid', 'serial']) {
      const { rows } = await sql<Record<string, string>>`
        explain select id from devices
        where organization_id = ${organizationId} and folded(${sql.ref(column)}) = ${one}::text`.execute(tx)
      assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), new RegExp(`using devices_${column} `))
    }
  })
})

test('devices are found by the address of their owner, in any case', async () => {
  const { organizationId } = app.tenant
  const globex = (await app.addTenant('Globex')).organizationId
  const owners = new Map<string, string>()
  for (const email of ['Ada.Ruiz@acme.example', 'bob@acme.example']) {
    const owner = await make.person(organizationId, { email })
    owners.set(email, (await make.device(organizationId, { registered_owner_id: owner.id })).id)
  }
  const namesake = await make.person(globex, { email: 'ada.ruiz@acme.example' })
  await make.device(globex, { registered_owner_id: namesake.id })
  const free = (await make.device(organizationId, { device_type: 'iOS', form_factor: 'phone' })).id
  const [ada = '', bob = ''] = owners.values()
  const found: [query: string, ids: string[]][] = [
    ['registered_owner:ada.ruiz@acme.example', [ada]],
    ['registered_owner:"BOB@ACME.example"', [bob]],
    ['registered_owner:["ada.ruiz@acme.example","bob@acme.example","nobody@acme.example"]', [ada, bob]],
    ['registered_owner~RUIZ', [ada]],
    ['registered_owner~"@acme."', [ada, bob]],
    ['registered_owner:null', [free]],
    ['registered_owner:"null"', []],
    ['registered_owner:nobody@acme.example OR registered_owner:null', [free]],
    ['registered_owner~ruiz AND device_type:iOS', []],
    ['registered_owner~ruiz OR device_type:iOS', [ada, free]],
  ]
  for (const [query, ids] of found) {
    assert.deepEqual(await idsOf(`/devices?query=${encodeURIComponent(query)}`), ids, query)
  }
})

test('who is blocked is asked of the list of devices, in all three lists', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const group = await make.deviceGroup(organizationId)
  const idIn = new Map<string, string>()
  for (const state of ['good', 'notified', 'will_block', 'blocked'] as const) {
    const { id } = await make.device(organizationId, { registered_owner_id: owner.id, groupIds: [group.id] })
    await app.db.updateTable('devices').set({ auth_state: state }).where('id', '=', id).execute()
    idIn.set(state, id)
  }
  const foreign = await make.device((await app.addTenant('Globex')).organizationId)
  await app.db.updateTable('devices').set({ auth_state: 'blocked' }).where('id', '=', foreign.id).execute()
  for (const path of ['/devices', `/people/${owner.id}/registered_devices`, `/device_groups/${group.id}/devices`]) {
    const found = (query: string) => idsOf(`${path}?query=${encodeURIComponent(query)}`)
    assert.deepEqual(await found('auth_state:Blocked'), [idIn.get('blocked')])
    assert.deepEqual(await found('auth_state:"will block"'), [idIn.get('will_block')])
    assert.deepEqual(await found('auth_state:["Good","Notified"]'), [idIn.get('good'), idIn.get('notified')])
    assert.deepEqual(await found('auth_state~block'), [idIn.get('will_block'), idIn.get('blocked')])
  }
})

test('what devices cannot be searched by is refused, in all three lists', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const group = await make.deviceGroup(organizationId)
  const fields =
    'id, name, registered_at, last_authenticated_at, serial, note, hardware_uuid, registered_owner, device_type, ' +
    'auth_state, ' +
    'will_block_at, registration_suspended_at, identity_conflict_since'
  const types = '"Mac", "Linux", "Windows", "iOS", "Android"'
  const wrong: [query: string, message: string][] = [
    ['id~1', 'id cannot be searched with ~; it allows :'],
    ['id>1', 'id cannot be searched with >; it allows :'],
    ['id:null', 'id is never null'],
    ['name<a', 'name cannot be searched with <; it allows : ~'],
    ['name~["a","b"]', 'A list is not accepted with the operator ~; text that starts with [ must be in double quotes'],
    [
      'registered_at:[2026-01-31]',
      'A list is not accepted with registered_at; text that starts with [ must be in double quotes',
    ],
    ['registered_at~2026', 'registered_at cannot be searched with ~; it allows : < <= > >='],
    [
      'registered_at:yesterday',
      '"yesterday" is not a date such as "2026-01-31" or a date and time such as "2026-01-31T09:30:00Z", "20260131T093000Z" or "2026-01-31T11:30:00+02:00"',
    ],
    ['last_authenticated_at~2026', 'last_authenticated_at cannot be searched with ~; it allows : < <= > >='],
    ['serial>1', 'serial cannot be searched with >; it allows : ~'],
    ['note<1', 'note cannot be searched with <; it allows : ~'],
    ['hardware_uuid>1', 'hardware_uuid cannot be searched with >; it allows : ~'],
    ['device_type>Mac', 'device_type cannot be searched with >; it allows : ~'],
    ['device_type:Toaster', `device_type is one of ${types}, not "Toaster"`],
    ['device_type:null', 'device_type is never null'],
    ['will_block_at~2026', 'will_block_at cannot be searched with ~; it allows : < <= > >='],
    ['auth_state:Silent', 'auth_state is one of "Will Block", "Blocked", "Notified", "Good", not "Silent"'],
    ['form_factor:phone', `Unknown search field "form_factor"; searchable here: ${fields}`],
    ['last_seen_at>2026-01-01', `Unknown search field "last_seen_at"; searchable here: ${fields}`],
  ]
  const paths = ['/devices', `/people/${owner.id}/registered_devices`, `/device_groups/${group.id}/devices`]
  for (const path of paths) {
    for (const [query, message] of wrong) {
      const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
      assert.deepEqual([status, body.error, body.message], [422, 'search_invalid', message], query)
    }
  }
})

test('pages of devices follow one another in all three lists, and keep the search', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const group = await make.deviceGroup(organizationId)
  const made: string[] = []
  const belonging = { registered_owner_id: owner.id, groupIds: [group.id] }
  for (let index = 0; index < 5; index += 1) {
    made.push((await make.device(organizationId, belonging)).id)
    await make.device(organizationId, { ...belonging, name: 'Not sought' })
  }
  const paths = ['/devices', `/people/${owner.id}/registered_devices`, `/device_groups/${group.id}/devices`]
  for (const path of paths) {
    const pages: string[][] = []
    let asked = `${path}?per_page=2&query=name~device`
    for (let cursor = '', isLast = false; !isLast; isLast = cursor === '') {
      const { status, body } = await app.ask('GET', asked)
      assert.equal(status, 200, JSON.stringify(body))
      const { next, current_cursor, next_cursor, count } = body.pagination
      assert.deepEqual([current_cursor, count], [cursor, body.data.length])
      pages.push(body.data.map((row: { id: string }) => row.id))
      const isMore = next_cursor !== ''
      const address = `https://muster.test${path}?cursor=${next_cursor}&per_page=2&query=name~device`
      assert.equal(next, isMore ? address : '')
      // The second step sends no query: the cursor carries it.
      asked = pages.length === 1 ? `${path}?per_page=2&cursor=${next_cursor}` : next.replace('https://muster.test', '')
      cursor = next_cursor
    }
    assert.deepEqual(pages, [made.slice(0, 2), made.slice(2, 4), made.slice(4)], path)
  }
})

test('listDevicesOfPerson and listDevicesOfGroup have the living devices of their parent alone', async () => {
  const { organizationId } = app.tenant
  const [ada, bob] = [await make.person(organizationId), await make.person(organizationId)]
  const [early, late] = [await make.deviceGroup(organizationId), await make.deviceGroup(organizationId)]
  const first = await make.device(organizationId, { registered_owner_id: ada.id, groupIds: [early.id, late.id] })
  const second = await make.device(organizationId, { registered_owner_id: bob.id, groupIds: [late.id] })
  const deleted = { registered_owner_id: ada.id, groupIds: [early.id], deleted_at: start }
  const gone = await make.device(organizationId, deleted)
  assert.deepEqual(await idsOf(`/people/${ada.id}/registered_devices`), [first.id])
  assert.deepEqual(await idsOf(`/people/${bob.id}/registered_devices`), [second.id])
  assert.deepEqual(await idsOf(`/device_groups/${early.id}/devices`), [first.id])
  assert.deepEqual(await idsOf(`/device_groups/${late.id}/devices`), [first.id, second.id])
  assert.deepEqual(await idsOf('/devices'), [first.id, second.id])
  assert.equal((await app.ask('GET', `/devices/${gone.id}`)).status, 404)
})

test('devices and parents of another organization are as unknown as any', async () => {
  const other = await app.addTenant()
  const owner = await make.person(other.organizationId)
  const group = await make.deviceGroup(other.organizationId)
  const device = await make.device(other.organizationId, { registered_owner_id: owner.id, groupIds: [group.id] })
  const gone = await make.device(app.tenant.organizationId, { deleted_at: start })
  const unknown = '987654321'
  const paths = [
    ...[device.id, gone.id, unknown, '0', '01', 'x', '99999999999999999999'].map((id) => `/devices/${id}`),
    ...[owner.id, unknown].map((id) => `/people/${id}/registered_devices`),
    ...[group.id, unknown].map((id) => `/device_groups/${id}/devices`),
  ]
  for (const path of paths) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body], [404, missing], path)
  }
  const body = { authentication_mode: 'anyone' }
  for (const id of [device.id, gone.id, unknown, 'x']) {
    const answer = await setMode(id, body)
    assert.deepEqual([answer.status, answer.body], [404, missing], id)
  }
  assert.deepEqual(await idsOf('/devices'), [])
  assert.deepEqual(await audits(), [])
})

test('each change of the mode is audited with its actor and address, and an equal request is none', async () => {
  const { organizationId, keyId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { name: 'Mac 1', registered_owner_id: owner.id })
  const finance = await make.personGroup(organizationId, { name: 'Finance' })
  const sales = await make.personGroup(organizationId, { name: 'Sales' })
  const grouped = 'only_registered_owner_or_group_members'
  const requests = [
    { authentication_mode: 'only_registered_owner' },
    { authentication_mode: grouped, person_group_ids: [sales.id, Number(finance.id), `00${sales.id}`] },
    { authentication_mode: grouped, person_group_ids: [finance.id, sales.id] },
    { authentication_mode: grouped, person_group_ids: [Number(sales.id)] },
    { authentication_mode: 'anyone', person_group_ids: ['987654321'] },
    { authentication_mode: 'anyone' },
    { authentication_mode: 'only_registered_owner', person_group_ids: [] },
  ]
  for (const request of requests) {
    const { status, body } = await setMode(device.id, request)
    assert.deepEqual([status, body.authentication_mode], [200, request.authentication_mode], JSON.stringify(body))
  }
  const by = { actor_type: 'ApiKey', actor_id: keyId, actor_name: 'Full access', ip_address: '127.0.0.1' }
  const changed = 'Changed who may sign in with the device "Mac 1"'
  const sentences = [
    `${changed} from only its owner to its owner or members of groups ("Finance", "Sales").`,
    `${changed} from its owner or members of groups to its owner or members of groups ("Sales").`,
    `${changed} from its owner or members of groups to anyone.`,
    `${changed} from anyone to only its owner.`,
  ]
  const expected = sentences.map((description) => ({ description, ...by, timestamp: start }))
  assert.deepEqual(await audits(), expected)
})

test('a mode with unknown or no groups, another word and a body without a mode are refused', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const own = await make.personGroup(organizationId)
  const foreign = await make.personGroup(other.organizationId)
  const mode = 'only_registered_owner_or_group_members'
  const unknownGroups = await setMode(device.id, {
    authentication_mode: mode,
    person_group_ids: [own.id, foreign.id, 987654321],
  })
  const errors = [
    { field: 'person_group_ids/1', message: 'there is no such person group' },
    { field: 'person_group_ids/2', message: 'there is no such person group' },
  ]
  assert.deepEqual([unknownGroups.status, unknownGroups.body], [422, refusal(...errors)])
  const needed = refusal({ field: 'person_group_ids', message: 'must name at least one group in this mode' })
  for (const body of [{ authentication_mode: mode }, { authentication_mode: mode, person_group_ids: [] }]) {
    const answer = await setMode(device.id, body)
    assert.deepEqual([answer.status, answer.body], [422, needed])
  }
  const wrong = [
    {},
    { authentication_mode: null },
    { authentication_mode: 'Anyone' },
    { authentication_mode: mode, person_group_ids: own.id },
    { authentication_mode: mode, person_group_ids: ['a'] },
    { authentication_mode: mode, person_group_ids: [-1] },
    { authentication_mode: mode, person_group_ids: [1.5] },
    { authentication_mode: mode, person_group_ids: [null] },
  ]
  for (const body of wrong) {
    const answer = await setMode(device.id, body)
    assert.deepEqual([answer.status, answer.body.error], [422, 'invalid'], JSON.stringify(body))
  }
  const { auth_configuration } = (await app.ask('GET', `/devices/${device.id}`)).body
  const untouched = { device_id: device.id, authentication_mode: 'only_registered_owner', person_groups: [] }
  assert.deepEqual(auth_configuration, untouched)
  assert.deepEqual(await audits(), [])
})

test('a device that belongs to nobody has no mode', async () => {
  const device = await make.device(app.tenant.organizationId)
  const { status, body } = await setMode(device.id, { authentication_mode: 'anyone' })
  const message = 'The device is not registered to anyone.'
  assert.deepEqual([status, body.error, body.message], [422, 'device_not_registered', message])
  assert.deepEqual(await audits(), [])
})

test('the mode takes the permission Update Devices and the feature Write API', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const request = { authentication_mode: 'anyone' }
  const message = 'This key lacks the permission Update Devices.'
  for (const key of [app.tenant.readOnlyKey, await app.addKey(['remove_devices', 'manage_device_groups'])]) {
    for (const method of ['PATCH', 'PUT']) {
      const { status, body } = await setMode(device.id, request, key, method)
      assert.deepEqual([status, body], [403, { error: 'permission_missing', message }])
    }
  }
  const enough = await app.addKey(['update_devices'])
  assert.equal((await setMode(device.id, request, enough)).status, 200)
  await transact(app.db, (tx) =>
    setFeature(tx, { feature: 'write_api', isOn: false }, systemChange(organizationId, start)),
  )
  const refused = await setMode(device.id, { authentication_mode: 'only_registered_owner' }, enough)
  const unavailable = 'The feature Write API is not available to the organization.'
  assert.deepEqual([refused.status, refused.body], [401, { error: 'feature_unavailable', message: unavailable }])
  assert.equal((await audits()).length, 1)
})
