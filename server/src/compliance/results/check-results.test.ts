import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { type MadeCheck, makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'
import { rememberRunTimes } from './run-times.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const minute = (count: number) => plusMs(start, count * 60_000)
const missing = { error: 'not_found', message: 'There is no such record.' }
const page = (...data: object[]) => ({
  data,
  pagination: { next: '', current_cursor: '', next_cursor: '', count: data.length },
})

type Device = Awaited<ReturnType<typeof make.device>>

beforeEach(() => app.reset())

const rowsOf = async (url: string) => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const searchUrl = (path: string, query: string) => `${path}?query=${encodeURIComponent(query)}`

/** A run that changed nothing, as the agents' side notes and later writes it. */
async function confirm(device: Device, check: MadeCheck, ranAt: string) {
  const runTimes = rememberRunTimes()
  runTimes.note(device.organization_id, device.id, [{ checkId: check.id, ranAt }])
  await runTimes.flush(app.db)
}

const exempt = (device: Device, check: MadeCheck, expiresAt: string | null) =>
  app.db
    .updateTable('check_results')
    .set({ exempted_at: start, exemption_reason: 'A build server.', exemption_expires_at: expiresAt })
    .where('device_id', '=', device.id)
    .where('check_id', '=', check.id)
    .execute()

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listCheckResultsOfDevice and listCheckResultsOfCheck answer whole records in version ${version}`, async () => {
    const { organizationId, readOnlyKey } = app.tenant
    const keys = await make.check(organizationId, { slug: 'ssh-keys', name: 'SSH keys', primary_key_column: 'path' })
    const disk = await make.check(organizationId, { slug: 'disk', name: 'Disk' })
    const [mac, other] = [
      await make.device(organizationId, { name: "Ada's Mac" }),
      await make.device(organizationId, { name: 'Build server' }),
    ]
    const rows = [
      { path: '/a', encrypted: '0', KOLIDE_CHECK_STATUS: 'FAIL' },
      { path: '/b', encrypted: '1', KOLIDE_CHECK_STATUS: 'PASS' },
    ]
    await make.result({ device: mac, check: keys, rows, at: '2026-11-20T10:07:00.123Z' })
    await exempt(other, keys, minute(600))
    await make.result({ device: other, check: keys, rows, at: minute(1) })
    const failing = {
      check_id: keys.id,
      check_slug: 'ssh-keys',
      check_name: 'SSH keys',
      device_id: mac.id,
      device_display_name: "Ada's Mac",
      ran_at: '2026-11-20T10:07:00.123Z',
      exemption_reason: null,
      exemption_expires_at: null,
      check_result_data: rows,
      status: 'failing',
    }
    const exempted = {
      ...failing,
      device_id: other.id,
      device_display_name: 'Build server',
      ran_at: minute(1),
      exemption_reason: 'A build server.',
      exemption_expires_at: minute(600),
      status: 'out_of_scope',
    }
    const pending = {
      check_id: disk.id,
      check_slug: 'disk',
      check_name: 'Disk',
      device_id: mac.id,
      device_display_name: "Ada's Mac",
      ran_at: null,
      exemption_reason: null,
      exemption_expires_at: null,
      check_result_data: [],
      status: 'pending',
    }
    const pendingToo = { ...pending, device_id: other.id, device_display_name: 'Build server' }
    const answers: [path: string, body: unknown][] = [
      [`/devices/${mac.id}/check_results`, page(failing, pending)],
      [`/devices/${other.id}/check_results`, page(exempted, pendingToo)],
      [`/checks/${keys.id}/results`, page(failing, exempted)],
      [`/checks/${disk.id}/results`, page(pending, pendingToo)],
    ]
    for (const [path, expected] of answers) {
      const { status, body } = await app.ask('GET', path, { headers, key: readOnlyKey })
      assert.deepEqual([status, body], [200, expected], path)
    }
  })
}

test('ran_at moves with every run, also with one that changed nothing', async () => {
  const { organizationId } = app.tenant
  const [check, other] = [await make.check(organizationId), await make.check(organizationId)]
  const device = await make.device(organizationId)
  const ranAt = async () =>
    (await rowsOf(`/devices/${device.id}/check_results`)).map((row: { ran_at: string | null }) => row.ran_at)
  assert.deepEqual(await ranAt(), [null, null])
  await make.result({ device, check, rows: 'PASS' })
  assert.deepEqual(await ranAt(), [start, null])
  await confirm(device, check, minute(60))
  assert.deepEqual(await ranAt(), [minute(60), null])
  await make.result({ device, check, rows: 'FAIL', at: minute(90) })
  await make.result({ device, check: other, rows: 'PASS', at: minute(91) })
  assert.deepEqual(await ranAt(), [minute(90), minute(91)])
  await confirm(device, check, minute(80))
  assert.deepEqual(await ranAt(), [minute(90), minute(91)])
  const found = await rowsOf(searchUrl(`/checks/${check.id}/results`, `ran_at:"${minute(90)}"`))
  assert.equal(found.length, 1)
})

test('a device that a check left and targets again has never run it', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const device = await make.device(organizationId)
  await make.result({ device, check, rows: 'PASS' })
  await confirm(device, check, minute(60))
  const target = async (excluded_groups: string[]) => {
    await app.db.updateTable('check_configurations').set({ excluded_groups }).execute()
    await make.target(organizationId)
  }
  await target(['macos'])
  assert.deepEqual(await rowsOf(`/devices/${device.id}/check_results`), [])
  await target([])
  const [row] = await rowsOf(`/devices/${device.id}/check_results`)
  assert.deepEqual([row.status, row.ran_at, row.check_result_data], ['pending', null, []])
  assert.equal((await rowsOf(searchUrl(`/checks/${check.id}/results`, 'ran_at:null'))).length, 1)
})

test('each status is shown and can be searched for, in any case', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId)
  const statuses = ['unknown', 'passing', 'failing', 'errored', 'inapplicable', 'stale', 'pending', 'out_of_scope']
  const checks = new Map<string, MadeCheck>()
  for (const status of statuses) checks.set(status, await make.check(organizationId, { name: status }))
  const reported: [status: string, rows: 'PASS' | 'FAIL' | 'UNKNOWN' | 'ERROR' | 'INAPPLICABLE'][] = [
    ['unknown', 'UNKNOWN'],
    ['passing', 'PASS'],
    ['failing', 'FAIL'],
    ['errored', 'ERROR'],
    ['inapplicable', 'INAPPLICABLE'],
    ['stale', 'PASS'],
    ['out_of_scope', 'FAIL'],
  ]
  for (const [status, rows] of reported) {
    const check = checks.get(status)
    assert.ok(check)
    if (status === 'out_of_scope') await exempt(device, check, null)
    await make.result({ device, check, rows })
  }
  await app.db
    .updateTable('check_results')
    .set({ status: 'stale' })
    .where('check_id', '=', checks.get('stale')?.id ?? '')
    .execute()
  for (const status of statuses) {
    for (const query of [`status:${status}`, `status:${status.toUpperCase()}`]) {
      const rows = await rowsOf(searchUrl(`/devices/${device.id}/check_results`, query))
      const found = rows.map((row: { check_name: string; status: string }) => [row.check_name, row.status])
      assert.deepEqual(found, [[status, status]], query)
    }
  }
})

test('results are searched by every searchable field, in both lists', async () => {
  const { organizationId } = app.tenant
  const disk = await make.check(organizationId, { name: 'Disk 100%' })
  const lock = await make.check(organizationId, { name: 'disk lock' })
  const mac = await make.device(organizationId, { name: 'Ada_Mac' })
  const server = await make.device(organizationId, { name: 'adaMac' })
  await make.result({ device: mac, check: disk, rows: 'FAIL', at: minute(10) })
  await make.result({ device: server, check: disk, rows: 'PASS', at: minute(20) })
  await confirm(mac, disk, minute(30))
  const [one, two] = [`${mac.id} ${disk.id}`, `${mac.id} ${lock.id}`]
  const [three, four] = [`${server.id} ${disk.id}`, `${server.id} ${lock.id}`]
  const found: [query: string, results: string[]][] = [
    ['device_display_name:Ada_Mac', [one, two]],
    ['device_display_name:ada_mac', []],
    ['device_display_name~ADA', [one, two, three, four]],
    ['device_display_name~a_m', [one, two]],
    [`ran_at:"${minute(30)}"`, [one]],
    [`ran_at:"${minute(10)}"`, []],
    [`ran_at>"${minute(20)}"`, [one]],
    [`ran_at<"${minute(30)}"`, [three]],
    ['ran_at:null', [two, four]],
    ['check_name:"Disk 100%"', [one, three]],
    ['check_name:disk', []],
    ['check_name~DISK', [one, two, three, four]],
    ['check_name~%', [one, three]],
    ['status:failing', [one]],
    ['status:passing', [three]],
    ['status:pending', [two, four]],
    ['status:stale', []],
    ['status:passing OR status:failing AND device_display_name:Ada_Mac', [one, three]],
    ['', [one, two, three, four]],
  ]
  const lists: [path: string, within: (result: string) => boolean][] = [
    [`/devices/${mac.id}/check_results`, (result) => result.startsWith(`${mac.id} `)],
    [`/devices/${server.id}/check_results`, (result) => result.startsWith(`${server.id} `)],
    [`/checks/${disk.id}/results`, (result) => result.endsWith(` ${disk.id}`)],
    [`/checks/${lock.id}/results`, (result) => result.endsWith(` ${lock.id}`)],
  ]
  for (const [path, within] of lists) {
    for (const [query, results] of found) {
      const rows = await rowsOf(searchUrl(path, query))
      const pairs = rows.map((row: { device_id: string; check_id: string }) => `${row.device_id} ${row.check_id}`)
      assert.deepEqual(pairs, results.filter(within), `${path} ${query}`)
    }
  }
})

test('what results cannot be searched by is refused, in both lists', async () => {
  const { organizationId } = app.tenant
  const [check, device] = [await make.check(organizationId), await make.device(organizationId)]
  const fields = 'device_display_name, ran_at, check_name, status'
  const wrong: [query: string, message: string][] = [
    ['device_display_name>a', 'device_display_name cannot be searched with >; it allows : ~'],
    ['ran_at~2026', 'ran_at cannot be searched with ~; it allows : < <= > >='],
    ['check_name<a', 'check_name cannot be searched with <; it allows : ~'],
    ['status>pass', 'status cannot be searched with >; it allows : ~'],
    [
      'status:broken',
      'status is one of "unknown", "passing", "failing", "errored", "inapplicable", "stale", "pending", "out_of_scope", not "broken"',
    ],
    ['check_id:1', `Unknown search field "check_id"; searchable here: ${fields}`],
  ]
  for (const path of [`/devices/${device.id}/check_results`, `/checks/${check.id}/results`]) {
    for (const [query, message] of wrong) {
      const { status, body } = await app.ask('GET', searchUrl(path, query))
      assert.deepEqual([status, body.error, body.message], [422, 'search_invalid', message], query)
    }
  }
})

test('pages of results follow one another in both lists, and keep the search', async () => {
  const { organizationId } = app.tenant
  const checks: string[] = []
  const devices: Device[] = []
  for (let index = 0; index < 5; index += 1) checks.push((await make.check(organizationId, { name: 'Sought' })).id)
  await make.check(organizationId)
  for (let index = 0; index < 5; index += 1) devices.push(await make.device(organizationId))
  const lists: [path: string, key: 'check_id' | 'device_id', expected: string[]][] = [
    [`/devices/${devices[0]?.id}/check_results`, 'check_id', checks],
    [`/checks/${checks[0]}/results`, 'device_id', devices.map(({ id }) => id)],
  ]
  for (const [path, key, expected] of lists) {
    const pages: string[][] = []
    let asked = `${path}?per_page=2&query=check_name:Sought`
    for (let cursor = '', isLast = false; !isLast; isLast = cursor === '') {
      const { status, body } = await app.ask('GET', asked)
      assert.equal(status, 200, JSON.stringify(body))
      const { next, current_cursor, next_cursor, count } = body.pagination
      assert.deepEqual([current_cursor, count], [cursor, body.data.length])
      pages.push(body.data.map((row: Record<string, string>) => row[key]))
      const address = `https://muster.test${path}?cursor=${next_cursor}&per_page=2&query=check_name%3ASought`
      assert.equal(next, next_cursor === '' ? '' : address)
      asked = `${path}?per_page=2&cursor=${next_cursor}`
      cursor = next_cursor
    }
    assert.deepEqual(pages, [expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)], path)
  }
})

test('results of a deleted device are gone, and those of foreign parents were never there', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const check = await make.check(organizationId)
  const [stays, goes] = [await make.device(organizationId), await make.device(organizationId)]
  const foreignCheck = await make.check(other.organizationId)
  const foreign = await make.device(other.organizationId)
  await app.ask('DELETE', `/devices/${goes.id}`)
  const rows = await rowsOf(`/checks/${check.id}/results`)
  assert.deepEqual(
    rows.map((row: { device_id: string }) => row.device_id),
    [stays.id],
  )
  const unknown = '987654321'
  const paths = [
    ...[goes.id, foreign.id, unknown, 'x'].map((id) => `/devices/${id}/check_results`),
    ...[foreignCheck.id, unknown, 'x'].map((id) => `/checks/${id}/results`),
  ]
  for (const path of paths) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body], [404, missing], path)
  }
})
