import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const minute = (count: number) => plusMs(start, count * 60_000)
const missing = { error: 'not_found', message: 'There is no such record.' }

beforeEach(() => app.reset())

const idsOf = async (url: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

const search = (path: string, query: string) => idsOf(`${path}?query=${encodeURIComponent(query)}`)

const exempt = (id: string) =>
  app.db.updateTable('issues').set({ exempted: true, blocks_device_at: null }).where('id', '=', id).execute()

const warning = { remediation_strategy: 'warn_then_block' } as const

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listIssues, getIssue and the lists of open issues answer whole records in version ${version}`, async () => {
    const { organizationId, readOnlyKey } = app.tenant
    const owner = await make.person(organizationId)
    const device = await make.device(organizationId, { registered_owner_id: owner.id })
    const keys = await make.check(organizationId, {
      issue_title: 'Unencrypted SSH key',
      primary_key_column: 'path',
      configuration: warning,
    })
    const disk = await make.check(organizationId, { issue_title: 'The disk is not encrypted' })
    const row = { path: '/home/ada/.ssh/id', encrypted: '0', KOLIDE_CHECK_STATUS: 'FAIL' }
    await make.result({ device, check: keys, rows: [row] })
    const mended = await make.issue({ device, check: disk })
    await make.result({ device, check: disk, rows: 'PASS', at: minute(30) })
    const [first = ''] = await idsOf('/issues')
    const device_information = { identifier: device.id, link: `https://muster.test/devices/${device.id}` }
    const open = {
      id: first,
      issue_key: 'path',
      issue_value: '/home/ada/.ssh/id',
      title: 'Unencrypted SSH key',
      value: row,
      exempted: false,
      resolved_at: null,
      detected_at: start,
      blocks_device_at: '2026-11-27T10:00:00.000Z',
      device_information,
      check_information: { identifier: keys.id, link: `https://muster.test/checks/${keys.id}` },
      last_rechecked_at: start,
    }
    const resolved = {
      id: mended.id,
      issue_key: null,
      issue_value: null,
      title: 'The disk is not encrypted',
      value: { KOLIDE_CHECK_STATUS: 'FAIL' },
      exempted: false,
      resolved_at: minute(30),
      detected_at: start,
      blocks_device_at: null,
      device_information,
      check_information: { identifier: disk.id, link: `https://muster.test/checks/${disk.id}` },
      last_rechecked_at: minute(30),
    }
    const page = (...data: object[]) => ({
      data,
      pagination: { next: '', current_cursor: '', next_cursor: '', count: data.length },
    })
    const answers: [path: string, body: unknown][] = [
      ['/issues', page(open, resolved)],
      [`/issues/${first}`, open],
      [`/issues/${mended.id}`, resolved],
      [`/devices/${device.id}/open_issues`, page(open)],
      [`/people/${owner.id}/open_issues`, page(open)],
    ]
    for (const [path, expected] of answers) {
      const { status, body } = await app.ask('GET', path, { headers, key: readOnlyKey })
      assert.deepEqual([status, body], [200, expected], path)
    }
  })
}

test('an exempted issue stays open and says so', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId)
  const issue = await make.issue({ device, check: await make.check(organizationId) })
  await exempt(issue.id)
  const { body } = await app.ask('GET', `/issues/${issue.id}`)
  assert.deepEqual([body.exempted, body.resolved_at], [true, null])
  assert.deepEqual(await idsOf(`/devices/${device.id}/open_issues`), [issue.id])
})

/** An open issue with a key, an exempted open one without, and one that is resolved. */
async function threeIssues() {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  // Identifiers of two digits tell an equal identifier from one that contains it.
  for (let index = 0; index < 10; index += 1) await make.check(organizationId)
  const keys = await make.check(organizationId, {
    issue_title: 'Key 100% open',
    primary_key_column: 'path',
    configuration: warning,
  })
  const disk = await make.check(organizationId, { issue_title: 'key open' })
  const lock = await make.check(organizationId, { issue_title: 'No lock' })
  await make.result({ device, check: keys, rows: [{ path: '/a_b/"c"', KOLIDE_CHECK_STATUS: 'FAIL' }] })
  const [keyed = ''] = await idsOf('/issues')
  const exempted = await make.issue({ device, check: disk, at: minute(10) })
  await exempt(exempted.id)
  const mended = await make.issue({ device, check: lock, at: minute(20) })
  await make.result({ device, check: lock, rows: 'PASS', at: minute(30) })
  return { owner, device, keys, disk, one: keyed, two: exempted.id, three: mended.id }
}

test('issues are searched by every searchable field, in all three lists', async () => {
  const { owner, device, keys, disk, one, two, three } = await threeIssues()
  const found: [query: string, ids: string[]][] = [
    [`id:${two}`, [two]],
    [`id:["${one}","${three}"]`, [one, three]],
    [`id:[${one},${two},987654321]`, [one, two]],
    ['id:99999999999999999999', []],
    [`detected_at:"${start}"`, [one]],
    [`detected_at>"${start}"`, [two, three]],
    [`detected_at<"${minute(20)}"`, [one, two]],
    [`resolved_at:"${minute(30)}"`, [three]],
    [`resolved_at<"${minute(31)}"`, [three]],
    [`resolved_at>"${minute(30)}"`, []],
    ['resolved_at:null', [one, two]],
    ['blocks_device_at:2026-11-27T10:00:00Z', [one]],
    ['blocks_device_at<2026-11-28', [one]],
    ['blocks_device_at>2026-11-28', []],
    ['blocks_device_at:null', [two, three]],
    ['title:"Key 100% open"', [one]],
    ['title:"Key open"', []],
    ['title~KEY', [one, two]],
    ['title~0%', [one]],
    ['issue_key:path', [one]],
    ['issue_key~AT', [one]],
    ['issue_key:null', [two, three]],
    ['issue_value:"/a_b/\\"c\\""', [one]],
    ['issue_value~"_B"', [one]],
    ['issue_value~"a_c"', []],
    ['issue_value:null', [two, three]],
    ['exempted:true', [two]],
    ['exempted:false', [one, three]],
    [`check_id:${keys.id}`, [one]],
    [`check_id:${disk.id}`, [two]],
    ['check_id:1', []],
    ['check_id~1', [one, two, three]],
    [`check_id~${keys.id}`, [one]],
    ['check_id:x', []],
    [`device_id:${device.id}`, [one, two, three]],
    [`device_id~${device.id}`, [one, two, three]],
    ['device_id:987654321', []],
    [`last_rechecked_at:"${minute(30)}"`, [three]],
    [`last_rechecked_at<"${minute(10)}"`, [one]],
    [`last_rechecked_at>"${start}"`, [two, three]],
    ['last_rechecked_at:null', []],
    [`exempted:true OR title~lock AND resolved_at:null`, [two]],
    ['', [one, two, three]],
  ]
  for (const path of ['/issues', `/devices/${device.id}/open_issues`, `/people/${owner.id}/open_issues`]) {
    for (const [query, ids] of found) {
      const expected = path === '/issues' ? ids : ids.filter((id) => id !== three)
      assert.deepEqual(await search(path, query), expected, `${path} ${query}`)
    }
  }
})

test('what issues cannot be searched by is refused, in all three lists', async () => {
  const { owner, device } = await threeIssues()
  const fields =
    'id, detected_at, resolved_at, blocks_device_at, title, issue_key, issue_value, exempted, check_id, device_id, last_rechecked_at'
  const wrong: [query: string, message: string][] = [
    ['id~1', 'id cannot be searched with ~; it allows :'],
    ['detected_at~2026', 'detected_at cannot be searched with ~; it allows : < <= > >='],
    ['detected_at:null', 'detected_at is never null'],
    ['resolved_at~2026', 'resolved_at cannot be searched with ~; it allows : < <= > >='],
    ['blocks_device_at~2026', 'blocks_device_at cannot be searched with ~; it allows : < <= > >='],
    ['title>a', 'title cannot be searched with >; it allows : ~'],
    ['issue_key<a', 'issue_key cannot be searched with <; it allows : ~'],
    ['issue_value>a', 'issue_value cannot be searched with >; it allows : ~'],
    ['exempted~true', 'exempted cannot be searched with ~; it allows :'],
    ['exempted:yes', 'exempted is true or false, not "yes"'],
    ['exempted:null', 'exempted is never null'],
    ['check_id>1', 'check_id cannot be searched with >; it allows : ~'],
    ['device_id<1', 'device_id cannot be searched with <; it allows : ~'],
    ['last_rechecked_at~2026', 'last_rechecked_at cannot be searched with ~; it allows : < <= > >='],
    ['value:x', `Unknown search field "value"; searchable here: ${fields}`],
  ]
  for (const path of ['/issues', `/devices/${device.id}/open_issues`, `/people/${owner.id}/open_issues`]) {
    for (const [query, message] of wrong) {
      const { status, body } = await app.ask('GET', `${path}?query=${encodeURIComponent(query)}`)
      assert.deepEqual([status, body.error, body.message], [422, 'search_invalid', message], query)
    }
  }
})

test('pages of issues follow one another in all three lists, and keep the search', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { registered_owner_id: owner.id })
  const check = await make.check(organizationId, { issue_title: 'Sought', primary_key_column: 'name' })
  const other = await make.check(organizationId, { issue_title: 'Other', primary_key_column: 'name' })
  const rows = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, KOLIDE_CHECK_STATUS: 'FAIL' }))
  await make.result({ device, check: other, rows })
  await make.result({ device, check, rows })
  for (const path of ['/issues', `/devices/${device.id}/open_issues`, `/people/${owner.id}/open_issues`]) {
    const pages: string[][] = []
    let asked = `${path}?per_page=2&query=title:Sought`
    for (let cursor = '', isLast = false; !isLast; isLast = cursor === '') {
      const { status, body } = await app.ask('GET', asked)
      assert.equal(status, 200, JSON.stringify(body))
      const { next, current_cursor, next_cursor, count } = body.pagination
      assert.deepEqual([current_cursor, count], [cursor, body.data.length])
      pages.push(body.data.map((row: { issue_value: string }) => row.issue_value))
      const address = `https://muster.test${path}?cursor=${next_cursor}&per_page=2&query=title%3ASought`
      assert.equal(next, next_cursor === '' ? '' : address)
      asked = `${path}?per_page=2&cursor=${next_cursor}`
      cursor = next_cursor
    }
    assert.deepEqual(pages, [['a', 'b'], ['c', 'd'], ['e']], path)
  }
})

test('listOpenIssuesOfDevice and listOpenIssuesOfPerson have what is open on living devices of their parent', async () => {
  const { organizationId } = app.tenant
  const [ada, bob] = [await make.person(organizationId), await make.person(organizationId)]
  const check = await make.check(organizationId)
  const macs = [
    await make.device(organizationId, { registered_owner_id: ada.id }),
    await make.device(organizationId, { registered_owner_id: ada.id }),
    await make.device(organizationId, { registered_owner_id: bob.id }),
    await make.device(organizationId),
  ]
  const issues: string[] = []
  for (const device of macs) issues.push((await make.issue({ device, check })).id)
  const [first, second, third, fourth] = macs
  const [one = '', two = '', three = '', four = ''] = issues
  assert.ok(first && second && third && fourth)
  assert.deepEqual(await idsOf(`/devices/${first.id}/open_issues`), [one])
  assert.deepEqual(await idsOf(`/devices/${fourth.id}/open_issues`), [four])
  assert.deepEqual(await idsOf(`/people/${ada.id}/open_issues`), [one, two])
  assert.deepEqual(await idsOf(`/people/${bob.id}/open_issues`), [three])
  await make.result({ device: first, check, rows: 'PASS', at: minute(1) })
  await app.ask('DELETE', `/devices/${second.id}`)
  assert.deepEqual(await idsOf(`/devices/${first.id}/open_issues`), [])
  assert.deepEqual(await idsOf(`/people/${ada.id}/open_issues`), [])
  assert.deepEqual(await idsOf('/issues'), [one, three, four])
  assert.equal((await app.ask('GET', `/issues/${two}`)).status, 404)
})

test('issues and parents of another organization are as unknown as any', async () => {
  const other = await app.addTenant()
  const owner = await make.person(other.organizationId)
  const device = await make.device(other.organizationId, { registered_owner_id: owner.id })
  const issue = await make.issue({ device, check: await make.check(other.organizationId) })
  const gone = await make.device(app.tenant.organizationId, { deleted_at: start })
  const unknown = '987654321'
  const paths = [
    ...[issue.id, unknown, '0', '01', 'x', '99999999999999999999'].map((id) => `/issues/${id}`),
    ...[device.id, gone.id, unknown].map((id) => `/devices/${id}/open_issues`),
    ...[owner.id, unknown].map((id) => `/people/${id}/open_issues`),
  ]
  for (const path of paths) {
    const { status, body } = await app.ask('GET', path)
    assert.deepEqual([status, body], [404, missing], path)
  }
  assert.deepEqual(await idsOf('/issues'), [])
  assert.equal((await app.ask('GET', `/issues/${issue.id}`, { key: other.key })).status, 200)
})
