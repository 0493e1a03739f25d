import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { baseUrl, testApp } from '../../test/support/app.ts'
import { makeIn } from '../../test/support/make.ts'
import { systemChange } from '../base/change-context.ts'
import { transact } from '../base/db/transact.ts'
import { setFeature } from '../inventory/organizations/set-feature.ts'
import { inventoryTables, reportingTables } from './catalogue/catalogue.ts'
import { readSnapshot } from './read-snapshot.ts'
import { recordSnapshots } from './record-snapshots.ts'
import { columnsOf } from './reporting-table.ts'
import { rememberSnapshotTimes } from './snapshot-times.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }
const lastPage = (count: number) => ({ next: '', current_cursor: '', next_cursor: '', count })
const takenAt = '2026-11-20T09:00:00.000Z'
const records = '/reporting/tables/device_uptime/table_records'

beforeEach(() => app.reset())

async function report(
  deviceId: string,
  rows: unknown,
  name = 'device_uptime',
  organizationId = app.tenant.organizationId,
) {
  const table = inventoryTables.find((one) => one.name === name) ?? assert.fail(name)
  const snapshot = await readSnapshot({ table, rows, takenAt, isScheduled: true })
  await recordSnapshots(app.db, rememberSnapshotTimes(), { organizationId, deviceId }, [snapshot], app.now())
}

const get = (path: string, query: Record<string, string>) => app.ask('GET', `${path}?${new URLSearchParams(query)}`)

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listReportingTables and getReportingTable describe every table in version ${version}`, async () => {
    const uptime = {
      name: 'device_uptime',
      category: 'System',
      description: 'For how many days the device has been running.',
      column_names: ['device_id', 'device_name', 'taken_at', 'days'],
      searchable_fields: ['device_id'],
      documentation_url: `${baseUrl}/docs/reporting#device_uptime`,
    }
    const record = await app.ask('GET', '/reporting/tables/device_uptime', { headers, key: app.tenant.readOnlyKey })
    assert.deepEqual([record.status, record.body], [200, uptime])
    const list = await app.ask('GET', '/reporting/tables?per_page=100', { headers })
    assert.deepEqual([list.status, list.body.pagination], [200, lastPage(reportingTables.length)])
    assert.deepEqual(
      list.body.data.find((one: { name: string }) => one.name === 'device_uptime'),
      uptime,
    )
  })

  test(`listTableRecords answers the rows of all devices in version ${version}`, async () => {
    const mac = await make.device(app.tenant.organizationId, { name: 'Mac' })
    const thinkpad = await make.device(app.tenant.organizationId, { name: 'ThinkPad', device_type: 'Linux' })
    await report(mac.id, [{ days: '12' }])
    await report(thinkpad.id, [{ days: '7' }])
    const { status, body } = await app.ask('GET', records, { headers, key: app.tenant.readOnlyKey })
    const [first, second] = body.data
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          data: [
            { device_id: mac.id, device_name: 'Mac', taken_at: takenAt, days: '12', id: first.id },
            { device_id: thinkpad.id, device_name: 'ThinkPad', taken_at: takenAt, days: '7', id: second.id },
          ],
          pagination: lastPage(2),
        },
      ],
    )
  })
}

test('tables are paged by name', async () => {
  const names: string[] = []
  let next = '/reporting/tables?per_page=7'
  while (next !== '') {
    const { body } = await app.ask('GET', next.replace(baseUrl, ''))
    names.push(...body.data.map((one: { name: string }) => one.name))
    next = body.pagination.next
  }
  assert.deepEqual(
    names,
    reportingTables.map(({ name }) => name),
  )
})

test('records are paged by identifier while rows come and go', async () => {
  const device = await make.device(app.tenant.organizationId)
  const groups = (numbers: readonly number[]) => numbers.map((number) => ({ username: 'ada', groupname: `g${number}` }))
  const path = '/reporting/tables/device_user_groups/table_records'
  await report(device.id, groups([1, 2, 3, 4, 5]), 'device_user_groups')
  const { body: first } = await get(path, { per_page: '2' })
  const kept = [4, 5, 6]
  const later = { table: 'device_user_groups', rows: groups([1, ...kept]) }
  const snapshot = await readSnapshot({
    table: inventoryTables.find(({ name }) => name === later.table) ?? assert.fail(),
    rows: later.rows,
    takenAt: '2026-11-20T10:00:00.000Z',
    isScheduled: true,
  })
  const place = { organizationId: app.tenant.organizationId, deviceId: device.id }
  await recordSnapshots(app.db, rememberSnapshotTimes(), place, [snapshot], app.now())
  const { body: second } = await app.ask('GET', first.pagination.next.replace(baseUrl, ''))
  const namesOf = (body: { data: { groupname: string }[] }) => body.data.map(({ groupname }) => groupname)
  assert.deepEqual([...namesOf(first), ...namesOf(second)], ['g1', 'g2', 'g4', 'g5'])
  const { body: third } = await app.ask('GET', second.pagination.next.replace(baseUrl, ''))
  assert.deepEqual([namesOf(third), third.pagination.next], [['g6'], ''])
})

test('records are searched by the device, and by lists of devices', async () => {
  const devices = [1, 2, 3].map((number) => make.device(app.tenant.organizationId, { name: `Device ${number}` }))
  const [one, two, three] = (await Promise.all(devices)).map(({ id }) => id)
  assert.ok(one && two && three)
  for (const id of [one, two, three]) await report(id, [{ days: id }])
  const found = async (query: string) =>
    (await get(records, { query })).body.data.map((row: { days: string }) => row.days)
  assert.deepEqual(await found(`device_id:${two}`), [two])
  assert.deepEqual(await found(`device_id:["${three}","${one}"]`), [one, three])
  assert.deepEqual(await found(`device_id:${one} OR device_id:${two}`), [one, two])
  assert.deepEqual(await found('device_id:900000000000000001'), [])
  assert.deepEqual(await found('device_id:none'), [])
})

test('a field of other tables, an unknown field and a wrong operator are refused', async () => {
  for (const [query, message] of [
    ['check_id:1', 'Unknown search field "check_id"; searchable here: device_id'],
    ['device_id:1 OR person_id:1', 'Unknown search field "person_id"; searchable here: device_id'],
    ['days:1', 'Unknown search field "days"; searchable here: device_id, check_id, person_id (at position 0)'],
    ['device_id~1', 'device_id cannot be searched with ~; it allows : (at position 9)'],
  ] as const) {
    const { status, body } = await get(records, { query })
    assert.deepEqual([status, body.error, body.errors], [422, 'search_invalid', [{ field: 'query', message }]])
  }
})

test('unknown tables are not found', async () => {
  for (const name of ['device_nothing', '__proto__', 'constructor', "device_uptime'--", 'x'.repeat(90), '%00']) {
    for (const path of [`/reporting/tables/${name}`, `/reporting/tables/${name}/table_records`]) {
      const { status, body } = await app.ask('GET', path)
      assert.deepEqual([status, body], [404, missing], path)
    }
  }
})

test('rows of other organizations and of deleted devices are not shown', async () => {
  const { id: theirs } = await make.organization()
  await report((await make.device(theirs)).id, [{ days: '1' }], 'device_uptime', theirs)
  const gone = await make.device(app.tenant.organizationId)
  await report(gone.id, [{ days: '2' }])
  await app.db.updateTable('devices').set({ deleted_at: takenAt }).where('id', '=', gone.id).execute()
  assert.deepEqual((await app.ask('GET', records)).body, { data: [], pagination: lastPage(0) })
})

test('without the feature, reporting is not available', async () => {
  const { organizationId } = app.tenant
  const change = { feature: 'reporting', isOn: false } as const
  await transact(app.db, (tx) => setFeature(tx, change, systemChange(organizationId, takenAt)))
  for (const path of ['/reporting/tables', '/reporting/tables/device_uptime', records]) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body.error], [401, 'feature_unavailable'], path)
  }
})

test('a hundred of the longest rows make an answer of less than 2 MB', async () => {
  const device = await make.device(app.tenant.organizationId)
  const long = '\u0001'.repeat(3_000)
  const columns = ['name', 'version', 'source', 'identifier', 'publisher', 'arch', 'path']
  const rows = Array.from({ length: 100 }, (_, index) => ({
    ...Object.fromEntries(columns.map((name) => [name, long])),
    name: `${index}${long}`,
  }))
  await report(device.id, rows, 'device_software')
  const { body } = await app.ask('GET', '/reporting/tables/device_software/table_records?per_page=100')
  assert.equal(body.data.length, 100)
  assert.ok(JSON.stringify(body).length < 2_000_000, `${JSON.stringify(body).length}`)
})

test('the documentation that a table names is there, for every table and every column', async () => {
  const { status, body, headers } = await app.ask('GET', '/docs/reporting')
  assert.equal(status, 200)
  assert.match(headers['content-type'] ?? '', /^text\/html/)
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-[^']{44}';/)
  for (const table of reportingTables) {
    assert.ok(body.includes(`<h2 id="${table.name}">`), table.name)
    for (const { name } of columnsOf(table)) assert.ok(body.includes(`<code>${name}</code>`), `${table.name}.${name}`)
  }
})
