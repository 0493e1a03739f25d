import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { invalidBody } from '../../test/support/invalid-body.ts'
import { makeIn } from '../../test/support/make.ts'
import { rowVersions } from '../../test/support/row-versions.ts'
import { restoreDevice } from '../administration/registrations/restore-device.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'
import { setFeature } from '../inventory/organizations/set-feature.ts'
import { recordLiveAnswers } from './record-live-answers.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const later = '2026-11-20T11:00:00.000Z'
const missing = { error: 'not_found', message: 'There is no such record.' }
const invalid = (field: string, message: string) => invalidBody({ field, message })

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const sql = 'SELECT pid FROM processes JOIN listening_ports USING (pid)'
const create = (body: object, key = app.tenant.key) =>
  app.ask('POST', '/live_query_campaigns', { key, body: { name: 'Listeners', sql, ...body } })
const change = (id: string, body: object) => app.ask('PATCH', `/live_query_campaigns/${id}`, { body })
const resultsOf = async (id: string, query = '') =>
  (await app.ask('GET', `/live_query_campaigns/${id}/query_results${query}`)).body

const mac = (columns = {}) => make.device(app.tenant.organizationId, columns)
const fleet = async () => ({
  mac: await mac({ name: 'Mac' }),
  windows: await mac({ name: 'Windows', device_type: 'Windows' }),
  linux: await mac({ name: 'Linux', device_type: 'Linux' }),
  phone: await mac({ name: 'Phone', device_type: 'iOS', form_factor: 'phone' }),
})

const answer = (campaignId: string, deviceId: string, columns = {}) =>
  recordLiveAnswers(app.db, app.tenant.organizationId, [
    {
      ...{ campaignId, deviceId, revision: 1, rowCount: 1, rows: '[{"pid":"1"}]' },
      ...{ errorMessage: null, warningMessage: null },
      ...columns,
    },
  ])

const lastAudit = async () => {
  const { description } = await app.db
    .selectFrom('audit_logs')
    .select('description')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return description
}

const targetsOf = async (id: string) => {
  const rows = await app.db
    .selectFrom('live_query_targets')
    .select('device_id')
    .where('campaign_id', '=', id)
    .orderBy('device_id')
    .execute()
  return rows.map(({ device_id }) => device_id)
}

const counts = ({ body }: { body: Record<string, number> }) => [
  body['waiting_devices_count'],
  body['successful_devices_count'],
  body['errored_devices_count'],
]

test('a live query is made, read, listed and deleted', async () => {
  const { mac: device } = await fleet()
  const made = await create({ targeted_device_ids: [device.id] })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const expected = {
    id: made.body.id,
    name: 'Listeners',
    osquery_sql: sql,
    created_at: start,
    published: true,
    revision: 1,
    tables_used: ['listening_ports', 'processes'],
    successful_devices_count: 0,
    errored_devices_count: 0,
    waiting_devices_count: 1,
  }
  assert.deepEqual(made.body, expected)
  assert.equal(await lastAudit(), `Created the live query "Listeners": ${sql}`)
  // getLiveQueryCampaign, listLiveQueryCampaigns and deleteLiveQueryCampaign
  for (const version of apiVersions) {
    const headers = { 'x-service-api-version': version }
    assert.deepEqual((await app.ask('GET', `/live_query_campaigns/${made.body.id}`, { headers })).body, expected)
    assert.deepEqual((await app.ask('GET', '/live_query_campaigns', { headers })).body.data, [expected])
  }
  assert.deepEqual((await app.ask('DELETE', `/live_query_campaigns/${made.body.id}`)).body, expected)
  assert.equal(await lastAudit(), 'Deleted the live query "Listeners".')
  for (const method of ['GET', 'DELETE']) {
    const again = await app.ask(method, `/live_query_campaigns/${made.body.id}`)
    assert.deepEqual([again.status, again.body], [404, missing])
  }
  const results = await app.ask('GET', `/live_query_campaigns/${made.body.id}/query_results`)
  assert.deepEqual([results.status, results.body], [404, missing])
})

test('a live query without a name has the beginning of its SQL as name, and takes booleans as text', async () => {
  const { mac } = await fleet()
  const post = (body: object) => app.ask('POST', '/live_query_campaigns', { body })
  const short = await post({ sql: 'SELECT pid\n  FROM   processes ', target_macs: 'true', target_all_devices: 'false' })
  assert.deepEqual([short.status, short.body.name], [200, 'SELECT pid FROM processes'])
  assert.deepEqual(await targetsOf(short.body.id), [mac.id])
  const long = await post({ sql: `SELECT '${'😀'.repeat(200)}' AS smile`, target_macs: true })
  assert.equal(long.body.name, `SELECT '${'😀'.repeat(92)}…`)
  assert.match(await lastAudit(), /^Created the live query "SELECT '/)
  assert.equal((await post({ sql, target_macs: true, name: '' })).status, 422)
})

test('targets are devices by name, as text or number, and kinds of computers, each device once', async () => {
  const { mac, windows, linux } = await fleet()
  const cases: [body: object, expected: string[]][] = [
    [{ target_all_devices: true }, [mac.id, windows.id, linux.id]],
    [{ target_macs: true }, [mac.id]],
    [{ target_windows_devices: true, target_linux_devices: true }, [windows.id, linux.id]],
    [{ targeted_device_ids: [Number(linux.id), linux.id, `00${mac.id}`] }, [mac.id, linux.id]],
    [{ targeted_device_ids: [mac.id], target_macs: true, target_windows_devices: false }, [mac.id]],
    [{ targeted_device_ids: [windows.id], target_macs: true }, [mac.id, windows.id]],
  ]
  for (const [body, expected] of cases) {
    const { body: made } = await create(body)
    assert.deepEqual(await targetsOf(made.id), expected, JSON.stringify(body))
    assert.equal(made.waiting_devices_count, expected.length)
  }
})

test('a query without a device to run on, or for one that is not there, is refused', async () => {
  const other = await app.addTenant()
  const foreign = await make.device(other.organizationId)
  const none = await create({})
  assert.deepEqual([none.status, none.body], [422, invalid('', 'must name at least one target')])
  const empty = await create({ targeted_device_ids: [], target_macs: false })
  assert.deepEqual(empty.body, invalid('', 'must name at least one target'))
  const nobody = await create({ target_all_devices: true })
  assert.deepEqual([nobody.status, nobody.body], [422, invalid('', 'no computer of the organization is targeted')])
  const { mac, phone } = await fleet()
  for (const id of [foreign.id, '900000000000000001']) {
    const refused = await create({ targeted_device_ids: [mac.id, id] })
    assert.deepEqual([refused.status, refused.body], [422, invalid('targeted_device_ids/1', 'there is no such device')])
  }
  const mobile = await create({ targeted_device_ids: [phone.id] })
  assert.deepEqual(mobile.body, invalid('targeted_device_ids/0', 'phones and tablets run no queries'))
  assert.equal((await app.ask('GET', '/live_query_campaigns')).body.data.length, 0)
})

test('SQL that cannot be used or reads a blocked table is refused with the reason', async () => {
  await fleet()
  const cases: [sql: string, message: string][] = [
    ['SELECT * FRM users', 'The SQL cannot be used: near "FRM": syntax error.'],
    ['PRAGMA table_info(users)', 'The SQL must be one SELECT statement; it may begin with WITH, or be VALUES.'],
    ['SELECT 1; SELECT 2', 'The SQL cannot be used: it holds more than one statement.'],
    ['SELECT 1 FROM users WHERE uid IN (SELECT 1 FROM "CURL")', 'reads "curl", which live queries may not read here'],
    [
      'SELECT 1 FROM main.carves, [Process_Envs]',
      'reads "carves", "process_envs", which live queries may not read here',
    ],
    ["SELECT carve(path) FROM file WHERE path = '/x'", 'reads "carves", which live queries may not read here'],
  ]
  for (const [text, message] of cases) {
    const refused = await create({ target_all_devices: true, sql: text })
    assert.deepEqual([refused.status, refused.body], [422, invalid('sql', message)])
  }
  const made = await create({ target_all_devices: true })
  const refused = await change(made.body.id, { sql: 'select * from curl' })
  assert.deepEqual(refused.body, invalid('sql', 'reads "curl", which live queries may not read here'))
})

test('bodies that do not fit are refused', async () => {
  for (const body of [
    { targeted_device_ids: ['x'] },
    { targeted_device_ids: 'all' },
    { target_all_devices: 'yes' },
    { target_all_devices: true, sql: '' },
    { target_all_devices: true, sql: 7 },
    { target_all_devices: true, name: '' },
    { target_all_devices: true, sql: `select '${'x'.repeat(64_000)}'` },
    { target_all_devices: true, name: 'x'.repeat(201) },
    { target_all_devices: true, name: 'a\0b' },
    { target_all_devices: true, sql: 'select 1\0' },
    { target_all_devices: true, targeted_device_ids: ['1'.repeat(19)] },
    { targeted_device_ids: Array.from({ length: 10_001 }, () => '1') },
  ]) {
    assert.equal((await create(body)).status, 422, JSON.stringify(body).slice(0, 100))
  }
})

test('another name alone changes nothing for devices; other SQL or targets run again on all that fit by now', async () => {
  const { mac: device, windows } = await fleet()
  const { body: made } = await create({ target_macs: true, targeted_device_ids: [windows.id] })
  await answer(made.id, device.id)
  app.setNow(later)
  const renamed = await change(made.id, { name: 'Ports' })
  assert.deepEqual([renamed.body.name, renamed.body.revision, ...counts(renamed)], ['Ports', 1, 1, 1, 0])
  assert.equal(await lastAudit(), 'Changed the live query "Listeners": name from "Listeners" to "Ports".')

  const newcomer = await mac()
  const edited = await change(made.id, { sql: 'select uid from users' })
  assert.deepEqual(edited.body, {
    ...made,
    name: 'Ports',
    osquery_sql: 'select uid from users',
    revision: 2,
    tables_used: ['users'],
    waiting_devices_count: 3,
  })
  assert.equal(await lastAudit(), `Changed the live query "Ports": SQL from ${sql} to select uid from users.`)
  assert.deepEqual(await targetsOf(made.id), [device.id, windows.id, newcomer.id])
  assert.deepEqual((await resultsOf(made.id)).data, [])
  assert.equal((await answer(made.id, device.id)).size, 0)
  assert.equal((await answer(made.id, device.id, { revision: 2 })).get(device.id), 1)

  const narrowed = await change(made.id, { target_macs: false })
  assert.deepEqual([narrowed.body.revision, ...counts(narrowed)], [3, 1, 0, 0])
  assert.equal(
    await lastAudit(),
    `Changed the live query "Ports": targets from Mac devices and device ${windows.id} to device ${windows.id}.`,
  )
  assert.deepEqual(await targetsOf(made.id), [windows.id])
  const nobody = await change(made.id, { targeted_device_ids: [] })
  assert.deepEqual([nobody.status, nobody.body], [422, invalid('', 'must name at least one target')])
  const unknown = await change('900000000000000001', { name: 'x' })
  assert.deepEqual([unknown.status, unknown.body], [404, missing])
})

test('PUT changes a live query as PATCH does, and a change of nothing writes nothing', async () => {
  await fleet()
  const body = { name: 'Listeners', sql, target_all_devices: true }
  const { body: made } = await create(body)
  await answer(made.id, (await targetsOf(made.id))[0] ?? '')
  const before = await rowVersions(app.db)
  for (const [method, same] of [
    ['PUT', body],
    ['PATCH', body],
    ['PATCH', {}],
  ] as const) {
    const repeated = await app.ask(method, `/live_query_campaigns/${made.id}`, { body: same })
    assert.deepEqual([repeated.status, repeated.body.revision, ...counts(repeated)], [200, 1, 2, 1, 0])
  }
  assert.deepEqual(await rowVersions(app.db), before)
  const put = await app.ask('PUT', `/live_query_campaigns/${made.id}`, {
    body: { ...body, sql: 'select 1 from users' },
  })
  assert.deepEqual([put.status, put.body.revision, ...counts(put)], [200, 2, 3, 0, 0])
})

test('results are listed in the order of the answers, searched by their messages', async () => {
  const { mac: one, windows: other, linux } = await fleet()
  const { body: made } = await create({ target_all_devices: true })
  await answer(made.id, other.id, { rowCount: 0, rows: '[]', errorMessage: 'no such table: x' })
  await answer(made.id, one.id, { rowCount: 5000, warningMessage: 'Only 1 of 5000 rows were kept.' })
  const { data, pagination } = await resultsOf(made.id)
  const base = { revision: 1, error_message: null, warning_message: null }
  const rowsOf = (id: string) => `${baseUrl}/live_query_campaigns/${made.id}/query_results/${id}/rows`
  const failed = {
    ...base,
    id: data[0].id,
    result_count: '0',
    kept_count: '0',
    rows_url: rowsOf(data[0].id),
    error_message: 'no such table: x',
    device_information: { identifier: other.id, link: `${baseUrl}/devices/${other.id}` },
    results: [],
  }
  const answered = {
    ...base,
    id: data[1].id,
    result_count: '5000',
    kept_count: '1',
    rows_url: rowsOf(data[1].id),
    warning_message: 'Only 1 of 5000 rows were kept.',
    device_information: { identifier: one.id, link: `${baseUrl}/devices/${one.id}` },
    results: [{ pid: '1' }],
  }
  assert.deepEqual(data, [failed, answered])
  assert.equal(pagination.count, 2)
  const searches: [query: string, expected: object[]][] = [
    ['error_message~"NO SUCH"', [failed]],
    ['error_message:"no such table: x"', [failed]],
    ['error_message:null', [answered]],
    ['warning_message~"5000"', [answered]],
    ['warning_message:null', [failed]],
  ]
  for (const [query, expected] of searches) {
    assert.deepEqual((await resultsOf(made.id, `?query=${encodeURIComponent(query)}`)).data, expected, query)
  }
  const [first, second] = [
    await resultsOf(made.id, '?per_page=1'),
    await resultsOf(made.id, `?per_page=1&cursor=${(await resultsOf(made.id, '?per_page=1')).pagination.next_cursor}`),
  ]
  assert.deepEqual([...first.data, ...second.data], [failed, answered])
  assert.deepEqual(counts(await app.ask('GET', `/live_query_campaigns/${made.id}`)), [1, 1, 1])
  assert.equal((await answer(made.id, one.id)).size, 0, 'an answer counts once')
  assert.equal((await answer(made.id, linux.id)).get(linux.id), 1)
})

test('listLiveQueryRows lists all rows of a result part by part, for the organization and the live query that has it', async () => {
  const { mac: device } = await fleet()
  const { body: made } = await create({ target_macs: true })
  const { body: another } = await create({ target_macs: true })
  const numbered = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ pid: String(from + index) }))
  await answer(made.id, device.id, {
    ...{ rowCount: 5, rows: JSON.stringify(numbered(1, 2)) },
    more: {
      parts: [
        { firstRow: 3, rows: JSON.stringify(numbered(3, 2)) },
        { firstRow: 5, rows: JSON.stringify(numbered(5, 1)) },
      ],
      ...{ rowCount: 3, characters: 60, warningWithout: null },
    },
  })
  const [result] = (await resultsOf(made.id)).data
  assert.deepEqual([result.result_count, result.kept_count, result.results], ['5', '5', numbered(1, 2)])
  const path = result.rows_url.replace(baseUrl, '')
  for (const version of apiVersions) {
    const { status, body } = await app.ask('GET', path, { headers: { 'x-service-api-version': version } })
    assert.deepEqual(
      [status, body.data],
      [
        200,
        [
          { id: '1', results: numbered(1, 2) },
          { id: '3', results: numbered(3, 2) },
          { id: '5', results: numbered(5, 1) },
        ],
      ],
    )
  }
  const first = (await app.ask('GET', `${path}?per_page=2`)).body
  const second = (await app.ask('GET', first.pagination.next.replace(baseUrl, ''))).body
  assert.deepEqual(
    [first.pagination.count, second.data, second.pagination.next],
    [2, [{ id: '5', results: numbered(5, 1) }], ''],
  )
  const other = await app.addTenant('Other')
  assert.equal((await app.ask('GET', path, { key: other.key })).status, 404)
  assert.equal((await app.ask('GET', path.replace(`/${made.id}/`, `/${another.id}/`))).status, 404)
  assert.equal((await app.ask('GET', path.replace(/\d+\/rows/, '999999/rows'))).status, 404)
  await change(made.id, { sql: 'SELECT 2' })
  assert.equal((await app.db.selectFrom('live_query_result_parts').selectAll().execute()).length, 0)
})

test('live queries are searched by when they were made, name, whether published and tables', async () => {
  await fleet()
  const { body: first } = await create({ target_all_devices: true, name: 'Who listens' })
  app.setNow(later)
  const { body: second } = await create({ target_all_devices: true, name: 'Users', sql: 'select * from users' })
  const searches: [query: string, expected: string[]][] = [
    ['name~"LISTEN"', [first.id]],
    ['name:Users', [second.id]],
    [`created_at>"${start}"`, [second.id]],
    [`created_at<"${later}"`, [first.id]],
    [`created_at:"${later}"`, [second.id]],
    ['published:true', [first.id, second.id]],
    ['published:false', []],
    ['tables_used:processes', [first.id]],
    ['tables_used~port', [first.id]],
    ['tables_used:users OR tables_used:processes', [first.id, second.id]],
  ]
  for (const [query, expected] of searches) {
    const { status, body } = await app.ask('GET', `/live_query_campaigns?query=${encodeURIComponent(query)}`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      expected,
      query,
    )
  }
})

test('a device that is deleted is in no count and no list, and counts again when it is restored', async () => {
  const { mac: device, windows } = await fleet()
  const { body: made } = await create({ target_all_devices: true })
  const { body: other } = await create({ target_macs: true })
  await answer(made.id, device.id)
  const read = async () => [
    counts(await app.ask('GET', `/live_query_campaigns/${made.id}`)),
    counts(await app.ask('GET', `/live_query_campaigns/${other.id}`)),
  ]
  assert.deepEqual(await read(), [
    [2, 1, 0],
    [1, 0, 0],
  ])
  await app.ask('DELETE', `/devices/${device.id}`)
  await app.ask('DELETE', `/devices/${windows.id}`)
  assert.deepEqual(await read(), [
    [1, 0, 0],
    [0, 0, 0],
  ])
  assert.deepEqual((await resultsOf(made.id)).data, [])
  assert.equal((await answer(other.id, device.id)).size, 0, 'a deleted device is not heard')
  const restoration = { deviceId: device.id }
  await transact(app.db, (tx) => restoreDevice(tx, restoration, systemChange(app.tenant.organizationId, later)))
  assert.deepEqual(await read(), [
    [1, 1, 0],
    [1, 0, 0],
  ])
  assert.equal((await resultsOf(made.id)).data.length, 1)
  await app.db.deleteFrom('devices').where('id', '=', windows.id).execute()
  assert.ok(!(await targetsOf(made.id)).includes(windows.id))
  assert.deepEqual((await read())[0], [1, 1, 0])
})

test('changes need the permission, and everything needs the feature', async () => {
  const { mac } = await fleet()
  const { body: made } = await create({ targeted_device_ids: [mac.id] })
  const key = app.tenant.readOnlyKey
  const permission = { error: 'permission_missing', message: 'This key lacks the permission Create Live Query.' }
  // createLiveQueryCampaign, updateLiveQueryCampaign, listLiveQueryResults
  for (const [method, path] of [
    ['POST', ''],
    ['PATCH', `/${made.id}`],
    ['PUT', `/${made.id}`],
    ['DELETE', `/${made.id}`],
  ] as const) {
    const refused = await app.ask(method, `/live_query_campaigns${path}`, { key, body: { name: 'x' } })
    assert.deepEqual([refused.status, refused.body], [403, permission])
  }
  assert.equal((await app.ask('GET', `/live_query_campaigns/${made.id}/query_results`, { key })).status, 200)
  const { organizationId } = app.tenant
  await transact(app.db, (tx) =>
    setFeature(tx, { feature: 'live_query', isOn: false }, systemChange(organizationId, start)),
  )
  for (const path of ['', `/${made.id}`, `/${made.id}/query_results`]) {
    assert.equal((await app.ask('GET', `/live_query_campaigns${path}`)).body.error, 'feature_unavailable')
  }
  assert.equal((await create({ target_all_devices: true })).body.error, 'feature_unavailable')
})
