import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { type MadeCheck, makeIn } from '../../../test/support/make.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { onAgentNotice } from '../../inventory/devices/agent-notice-hints.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'

const app = testApp()
const make = makeIn(app)
const start = '2026-11-20T10:00:00.000Z'
const missing = { error: 'not_found', message: 'There is no such record.' }

beforeEach(async () => {
  await app.reset()
  app.setNow(start)
})

const idsOf = async (url: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', url)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

const search = (query: string) => idsOf(`/checks?query=${encodeURIComponent(query)}`)

async function tag(check: MadeCheck, name: string, columns: { description?: string; color?: string } = {}) {
  const { organization_id } = check
  const { id } = await app.db
    .insertInto('check_tags')
    .values({ organization_id, name, description: null, color: null, ...columns })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.db
    .insertInto('check_tag_assignments')
    .values({ organization_id, check_id: check.id, check_tag_id: id })
    .execute()
  return id
}

const refresh = (deviceId: string, body: unknown, key = app.tenant.key) =>
  app.ask('POST', `/devices/${deviceId}/check_refreshes`, { key, body })

const refreshOf = (deviceId: string, checkIds: readonly string[], at: string) => ({
  device_id: deviceId,
  check_id: checkIds[0],
  check_refresh_initiated_at: at,
  data: checkIds.map((check_id) => ({ device_id: deviceId, check_id })),
})

const refreshes = () => app.db.selectFrom('check_refreshes').select(['device_id', 'check_id', 'requested_at']).execute()

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listChecks and getCheck answer whole records in version ${version}`, async () => {
    const { organizationId, readOnlyKey } = app.tenant
    const early = await make.deviceGroup(organizationId, { name: 'Early adopters' })
    const late = await make.deviceGroup(organizationId, { name: 'Late adopters' })
    const described = {
      slug: 'macos-disk-encryption',
      name: 'FileVault is on',
      description: 'Looks for a volume that FileVault encrypts.',
      topics: ['disk-encryption', 'loss'],
      issue_title: 'FileVault is off',
    }
    const disk = await make.check(organizationId, {
      ...described,
      type: 'custom',
      is_provided: false,
      platforms: ['windows', 'darwin'],
      sql_template: "select 'PASS' as KOLIDE_CHECK_STATUS, {{ level }} as level",
      configuration: {
        remediation_strategy: 'warn_then_block',
        block_auth_grace_period_days: 3,
        targeted_groups: [early.id, 'macos'],
        excluded_groups: [late.id],
        blocking_allowed_groups: ['macos', early.id],
        blocking_excluded_groups: [late.id, 'linux'],
        custom_rationale_template: 'Our own reason.',
        custom_fix_instructions_template: 'Our own instructions.',
      },
    })
    const baseline = await tag(disk, 'Baseline', { description: 'Everywhere.', color: '#2f6fed' })
    const plain = await tag(disk, 'Plain')
    const bare = await make.check(organizationId, { type: 'external', slug: 'mdm', name: 'MDM', platforms: [] })
    const full = {
      ...described,
      id: disk.id,
      compatible_platforms: ['darwin', 'windows'],
      osquery_sql_template: "select 'PASS' as KOLIDE_CHECK_STATUS, {{ level }} as level",
      fix_instructions_template: 'Our own instructions.',
      rationale_template: 'Our own reason.',
      check_tags: [
        { id: baseline, name: 'Baseline', description: 'Everywhere.', color: '#2f6fed' },
        { id: plain, name: 'Plain', description: null, color: null },
      ],
      blocks_auth_configuration: {
        blocking_enabled: true,
        grace_period_days: 3,
        blocking_group_names: ['macos', 'Early adopters'],
        blocking_exempt_group_names: ['Late adopters', 'linux'],
      },
      targeting_configuration: { excluded_groups: [late.id], targeted_groups: [early.id, 'macos'] },
      percent_passing: 0,
      kolide_provided: false,
      type: 'custom',
    }
    const empty = {
      id: bare.id,
      name: 'MDM',
      slug: 'mdm',
      compatible_platforms: [],
      description: 'A check of the tests.',
      topics: [],
      osquery_sql_template: null,
      issue_title: bare.issue_title,
      fix_instructions_template: 'Fix it.',
      rationale_template: 'Because.',
      check_tags: [],
      blocks_auth_configuration: {
        blocking_enabled: false,
        grace_period_days: 7,
        blocking_group_names: [],
        blocking_exempt_group_names: [],
      },
      targeting_configuration: { excluded_groups: [], targeted_groups: [] },
      percent_passing: 0,
      kolide_provided: true,
      type: 'external',
    }
    const pagination = { next: '', current_cursor: '', next_cursor: '', count: 2 }
    const answers: [path: string, body: unknown][] = [
      ['/checks', { data: [full, empty], pagination }],
      [`/checks/${disk.id}`, full],
      [`/checks/${bare.id}`, empty],
    ]
    for (const [path, expected] of answers) {
      const { status, body } = await app.ask('GET', path, { headers, key: readOnlyKey })
      assert.deepEqual([status, body], [200, expected], path)
    }
  })

  test(`createCheckRefresh answers what it asked for in version ${version}`, async () => {
    const check = await make.check(app.tenant.organizationId)
    const device = await make.device(app.tenant.organizationId)
    const answer = await app.ask('POST', `/devices/${device.id}/check_refreshes`, {
      headers,
      body: { check_id: check.id },
    })
    const record = refreshOf(device.id, [check.id], start)
    assert.deepEqual([answer.status, answer.body], [200, record])
    assert.deepEqual(await refreshes(), [{ device_id: device.id, check_id: check.id, requested_at: start }])
  })
}

test('only the two blocking strategies are shown as blocking', async () => {
  const { organizationId } = app.tenant
  const strategies = ['report_only', 'notify_only', 'warn_then_block', 'block_immediately'] as const
  for (const remediation_strategy of strategies) {
    const { id } = await make.check(organizationId, { configuration: { remediation_strategy } })
    const { blocking_enabled } = (await app.ask('GET', `/checks/${id}`)).body.blocks_auth_configuration
    assert.equal(blocking_enabled, remediation_strategy.includes('block'), remediation_strategy)
  }
})

test('checks are searched by every searchable field', async () => {
  const { organizationId } = app.tenant
  const disk = await make.check(organizationId, {
    name: 'FileVault is on',
    slug: 'macos_disk',
    description: 'Looks for 100% encryption.',
  })
  const own = await make.check(organizationId, { name: 'Filevault', slug: 'own', type: 'custom' })
  const mdm = await make.check(organizationId, { name: 'MDM', slug: 'mdm', type: 'external' })
  const baseline = await tag(disk, 'Base_line', { description: 'Required everywhere.' })
  const second = await tag(disk, 'Mac')
  const third = await tag(own, 'macros', { description: 'Required somewhere.' })
  const [one, two, three] = [disk.id, own.id, mdm.id]
  const found: [query: string, ids: string[]][] = [
    ['name:"FileVault is on"', [one]],
    ['name:filevault', []],
    ['name~FILEVAULT', [one, two]],
    ['check_description:"Looks for 100% encryption."', [one]],
    ['check_description~0%', [one]],
    ['check_description~tests', [two, three]],
    ['check_tag_name:Mac', [one]],
    ['check_tag_name:mac', []],
    ['check_tag_name~MAC', [one, two]],
    ['check_tag_name~_', [one]],
    ['check_tag_description:"Required everywhere."', [one]],
    ['check_tag_description~required', [one, two]],
    [`check_tag_id:${baseline}`, [one]],
    [`check_tag_id:${second}`, [one]],
    [`check_tag_id:${third}`, [two]],
    [`check_tag_id~${third}`, [two]],
    ['check_tag_id:x', []],
    ['slug:macos_disk', [one]],
    ['slug~S_D', [one]],
    ['check_slug:own', [two]],
    ['check_slug~DM', [three]],
    ['type:osquery', [one]],
    ['type:CUSTOM', [two]],
    ['type:external', [three]],
    ['type:external OR name~file AND check_tag_name:Mac', [one, three]],
    ['', [one, two, three]],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search(query), ids, query)
})

test('what checks cannot be searched by is refused', async () => {
  const fields = 'name, check_description, check_tag_name, check_tag_description, check_tag_id, slug, check_slug, type'
  const textFields = fields.split(', ').filter((field) => field !== 'type')
  const wrong: [query: string, message: string][] = [
    ...textFields.map((field): [string, string] => [`${field}>a`, `${field} cannot be searched with >; it allows : ~`]),
    ['type<cust', 'type cannot be searched with <; it allows : ~'],
    ['type:other', 'type is one of "osquery", "custom", "external", not "other"'],
    ['id:1', `Unknown search field "id"; searchable here: ${fields}`],
    ['percent_passing>10', `Unknown search field "percent_passing"; searchable here: ${fields}`],
  ]
  for (const [query, message] of wrong) {
    const { status, body } = await app.ask('GET', `/checks?query=${encodeURIComponent(query)}`)
    assert.deepEqual([status, body.error, body.message], [422, 'search_invalid', message], query)
  }
})

test('pages of checks follow one another and keep the search', async () => {
  const { organizationId } = app.tenant
  const made: string[] = []
  for (let index = 0; index < 5; index += 1) {
    made.push((await make.check(organizationId, { name: `Sought ${index}` })).id)
    await make.check(organizationId)
  }
  const pages: string[][] = []
  let asked = '/checks?per_page=2&query=name~sought'
  for (let cursor = '', isLast = false; !isLast; isLast = cursor === '') {
    const { status, body } = await app.ask('GET', asked)
    assert.equal(status, 200, JSON.stringify(body))
    const { next, current_cursor, next_cursor, count } = body.pagination
    assert.deepEqual([current_cursor, count], [cursor, body.data.length])
    pages.push(body.data.map((row: { id: string }) => row.id))
    const address = `https://muster.test/checks?cursor=${next_cursor}&per_page=2&query=name~sought`
    assert.equal(next, next_cursor === '' ? '' : address)
    asked = `/checks?per_page=2&cursor=${next_cursor}`
    cursor = next_cursor
  }
  assert.deepEqual(pages, [made.slice(0, 2), made.slice(2, 4), made.slice(4)])
})

test('a check of another organization is as unknown as any', async () => {
  const other = await app.addTenant()
  const check = await make.check(other.organizationId)
  for (const id of [check.id, '987654321', '0', '01', 'x', '99999999999999999999']) {
    const { status, body } = await app.ask('GET', `/checks/${id}`)
    assert.deepEqual([status, body], [404, missing], id)
  }
  assert.deepEqual(await idsOf('/checks'), [])
})

test('percent_passing counts the devices that the check says something about, rounded down', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const percent = async () => (await app.ask('GET', `/checks/${check.id}`)).body.percent_passing
  assert.equal(await percent(), 0, 'no device at all')
  const [first, second] = [await make.device(organizationId), await make.device(organizationId)]
  await make.device(organizationId, { device_type: 'iOS', form_factor: 'phone' })
  assert.equal(await percent(), 0, 'all pending')
  await make.result({ device: first, check, rows: 'PASS' })
  assert.equal(await percent(), 50, 'a pending device counts, a phone does not')
  const third = await make.device(organizationId)
  await make.result({ device: second, check, rows: 'PASS' })
  assert.equal(await percent(), 66, 'two of three')
  for (const rows of ['FAIL', 'ERROR', 'UNKNOWN'] as const) {
    await make.result({ device: third, check, rows, at: `2026-11-20T11:00:0${rows.length}.000Z` })
    assert.equal(await percent(), 66, rows)
  }
  await make.result({ device: third, check, rows: 'INAPPLICABLE', at: '2026-11-20T12:00:00.000Z' })
  assert.equal(await percent(), 100, 'what is inapplicable does not count')
  await app.db.updateTable('check_results').set({ exempted_at: start }).where('device_id', '=', second.id).execute()
  await make.result({ device: second, check, rows: 'FAIL', at: '2026-11-20T12:00:00.000Z' })
  assert.equal(await percent(), 100, 'nor does what is out of scope')
  await make.result({ device: first, check, rows: 'INAPPLICABLE', at: '2026-11-20T12:00:00.000Z' })
  assert.equal(await percent(), 0, 'nothing counts')
})

test('one failure among three hundred is not rounded away', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  await app.db.deleteFrom('check_tallies').execute()
  const tally = { organization_id: organizationId, check_id: check.id }
  await app.db
    .insertInto('check_tallies')
    .values([
      { ...tally, shard: 0, counted: 100, passing: 99 },
      { ...tally, shard: 1, counted: 200, passing: 200 },
    ])
    .execute()
  assert.equal((await app.ask('GET', `/checks/${check.id}`)).body.percent_passing, 99)
})

test('a refresh waits for the device, tells its agent and is renewed by another', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const device = await make.device(organizationId)
  await app.db.deleteFrom('agent_notices').execute()
  const hints: (string | null)[] = []
  const stop = onAgentNotice((_, deviceId) => hints.push(deviceId))
  try {
    assert.equal((await refresh(device.id, { check_id: Number(check.id) })).body.check_id, check.id)
    app.setNow('2026-11-20T10:05:00.000Z')
    const { status, body } = await refresh(device.id, { check_id: `00${check.id}` })
    const record = refreshOf(device.id, [check.id], app.now())
    assert.deepEqual([status, body], [200, record])
  } finally {
    stop()
  }
  assert.deepEqual(await refreshes(), [{ device_id: device.id, check_id: check.id, requested_at: app.now() }])
  const notices = await app.db.selectFrom('agent_notices').select('device_id').execute()
  assert.deepEqual(notices, [{ device_id: device.id }, { device_id: device.id }])
  assert.deepEqual(hints, [device.id, device.id])
})

test('what does not run on the device on a schedule cannot be refreshed', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId, { device_type: 'Mac' })
  const external = await make.check(organizationId, { type: 'external' })
  const paused = await make.check(organizationId, { configuration: { paused_at: start, paused_by: 'Ada' } })
  const elsewhere = await make.check(organizationId, { platforms: ['windows'] })
  const excluded = await make.check(organizationId, { configuration: { excluded_groups: ['macos'] } })
  const good = await make.check(organizationId)
  await app.db.deleteFrom('agent_notices').execute()
  const refused: [check: MadeCheck, message: string][] = [
    [external, 'Results of an external check are reported from outside.'],
    [paused, 'The check is paused.'],
    [elsewhere, 'This check does not run on the device.'],
    [excluded, 'This check does not run on the device.'],
  ]
  for (const [check, message] of refused) {
    const { status, body } = await refresh(device.id, { check_id: check.id })
    const expected = { error: 'check_not_refreshable', message, errors: [{ field: 'check_id', message }] }
    assert.deepEqual([status, body], [422, expected])
  }
  const wrong = [null, 'x', -1, 1.5].flatMap((id) => [{ check_id: id }, { check_ids: [id] }])
  for (const body of [...wrong, { check_ids: [] }, { check_ids: 'x' }, { check_id: good.id, check_ids: [good.id] }]) {
    const answer = await refresh(device.id, body)
    assert.deepEqual([answer.status, answer.body.error], [422, 'invalid'], JSON.stringify(body))
  }
  const several = await refresh(device.id, { check_ids: [good.id, external.id, '987654321', paused.id] })
  assert.deepEqual(
    [several.status, several.body.errors],
    [
      422,
      [
        { field: 'check_ids/1', message: 'Results of an external check are reported from outside.' },
        { field: 'check_ids/2', message: 'there is no such check' },
        { field: 'check_ids/3', message: 'The check is paused.' },
      ],
    ],
  )
  assert.deepEqual(await refreshes(), [])
  assert.deepEqual(await app.db.selectFrom('agent_notices').selectAll().execute(), [])
})

test('a refresh of several checks, or of all that run on the device, asks for each of them once', async () => {
  const { organizationId } = app.tenant
  const device = await make.device(organizationId, { device_type: 'Mac' })
  const empty = await refresh(device.id, {})
  const message = 'No check runs on this device by itself.'
  assert.deepEqual([empty.status, empty.body.error, empty.body.message], [422, 'check_not_refreshable', message])
  const [one, two, three] = [
    await make.check(organizationId),
    await make.check(organizationId),
    await make.check(organizationId),
  ]
  await make.check(organizationId, { type: 'external' })
  await make.check(organizationId, { configuration: { paused_at: start, paused_by: 'Ada' } })
  await make.check(organizationId, { platforms: ['windows'] })
  const other = await make.device(organizationId, { device_type: 'Mac' })
  const listed = await refresh(device.id, { check_ids: [two.id, Number(one.id), two.id] })
  assert.deepEqual([listed.status, listed.body], [200, refreshOf(device.id, [two.id, one.id], start)])
  assert.deepEqual((await refreshes()).map(({ check_id: id }) => id).sort(), [one.id, two.id].sort())
  for (const body of [{}, undefined]) {
    app.setNow('2026-11-20T10:05:00.000Z')
    const all = await refresh(device.id, body)
    assert.deepEqual([all.status, all.body], [200, refreshOf(device.id, [one.id, two.id, three.id], app.now())])
  }
  const asked = await refreshes()
  assert.deepEqual([asked.length, new Set(asked.map((row) => row.requested_at))], [3, new Set([app.now()])])
  assert.ok(asked.every((row) => row.device_id !== other.id))
})

test('a refresh of another organization’s device or check is as unknown as any', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant()
  const [device, foreignDevice] = [await make.device(organizationId), await make.device(other.organizationId)]
  const [check, foreignCheck] = [await make.check(organizationId), await make.check(other.organizationId)]
  const gone = await make.device(organizationId, { deleted_at: start })
  const pairs: [deviceId: string, checkId: string][] = [
    [foreignDevice.id, check.id],
    [foreignDevice.id, foreignCheck.id],
    [gone.id, check.id],
    ['987654321', check.id],
    ['x', check.id],
    [device.id, foreignCheck.id],
    [device.id, '987654321'],
  ]
  for (const [deviceId, checkId] of pairs) {
    const { status, body } = await refresh(deviceId, { check_id: checkId })
    assert.deepEqual([status, body], [404, missing], `${deviceId} ${checkId}`)
  }
  for (const deviceId of [foreignDevice.id, gone.id]) assert.equal((await refresh(deviceId, {})).status, 404)
  assert.equal((await refresh(device.id, { check_ids: [check.id, foreignCheck.id] })).status, 422)
  assert.deepEqual(await refreshes(), [])
})

test('a refresh takes the permission Refresh Check and the feature Write API', async () => {
  const { organizationId } = app.tenant
  const [device, check] = [await make.device(organizationId), await make.check(organizationId)]
  const request = { check_id: check.id }
  const message = 'This key lacks the permission Refresh Check.'
  for (const key of [app.tenant.readOnlyKey, await app.addKey(['configure_checks', 'update_devices'])]) {
    const { status, body } = await refresh(device.id, request, key)
    assert.deepEqual([status, body], [403, { error: 'permission_missing', message }])
  }
  assert.deepEqual(await refreshes(), [])
  const enough = await app.addKey(['refresh_check'])
  assert.equal((await refresh(device.id, request, enough)).status, 200)
  await transact(app.db, (tx) =>
    setFeature(tx, { feature: 'write_api', isOn: false }, systemChange(organizationId, start)),
  )
  const refused = await refresh(device.id, request, enough)
  const unavailable = 'The feature Write API is not available to the organization.'
  assert.deepEqual([refused.status, refused.body], [401, { error: 'feature_unavailable', message: unavailable }])
})
