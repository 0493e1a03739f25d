import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../../../test/support/app.ts'
import { engine } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { signInSteps, vouched } from '../../../test/support/sign-in-steps.ts'
import { plusMs } from '../../base/time.ts'
import { dropOldAuthLogs } from './drop-old-auth-logs.ts'

const app = testApp()
const make = makeIn(app)
const { start, record, recognize, show, finish } = signInSteps(app)
const begun = '2026-11-20T10:00:00.004Z'
const missing = { error: 'not_found', message: 'There is no such record.' }

beforeEach(() => app.reset())

const search = async (query: string): Promise<string[]> => {
  const { status, body } = await app.ask('GET', `/auth_logs?query=${encodeURIComponent(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.map((row: { id: string }) => row.id)
}

/** Ada on her laptop, which one check will block and another blocks. */
async function adaAndHerLaptop() {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId, { name: 'Ada Lovelace', email: 'Ada@acme.example' })
  const device = await make.device(organizationId, {
    name: 'Atlas',
    registered_owner_id: ada.id,
    agent_version: '5.19.0',
  })
  const warning = await make.check(organizationId, {
    issue_title: 'Disk is not encrypted',
    configuration: { remediation_strategy: 'warn_then_block' },
  })
  const notice = await make.check(organizationId, { configuration: { remediation_strategy: 'notify_only' } })
  const issues = [await make.issue({ device, check: warning }), await make.issue({ device, check: notice })]
  return { ada, device, issues: issues.map(({ id }) => id) }
}

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listAuthLogs and getAuthLog tell how someone signed in, in version ${version}`, async () => {
    const { ada, device, issues } = await adaAndHerLaptop()
    const nobody = await start({ ipAddress: '', browser: { name: '', version: '', userAgent: '' }, now: begun })
    const id = await start({
      personId: ada.id,
      country: 'Sweden',
      city: 'Uppsala',
      application: { id: '0oa1', name: 'Payroll' },
      now: begun,
    })
    await record(id, 'sign_in_attempt', 'Ada Lovelace began to sign in.', begun)
    assert.equal(await recognize(id, device.id, plusMs(begun, 1_000)), true)
    assert.equal(await show(id, issues, plusMs(begun, 2_000)), true)
    await record(id, 'issue_viewed', 'Looked at "Disk is not encrypted".', plusMs(begun, 3_000))
    assert.equal(await finish(id, plusMs(begun, 29_203)), true)
    const signedIn = {
      id,
      timestamp: begun,
      person_name: 'Ada Lovelace',
      person_email: 'Ada@acme.example',
      person_info: { identifier: ada.id, link: `https://muster.test/people/${ada.id}` },
      device_info: { identifier: device.id, link: `https://muster.test/devices/${device.id}` },
      result: 'Success',
      initial_status: 'will_block',
      ip_address: '198.51.100.24',
      agent_version: '5.19.0',
      country: 'Sweden',
      city: 'Uppsala',
      browser_name: 'Firefox',
      browser_user_agent: 'Mozilla/5.0 Firefox/145.0',
      issues_displayed: [
        {
          title: 'Disk is not encrypted',
          blocking_status: 'will_block',
          id: issues[0],
          link: `https://muster.test/issues/${issues[0]}`,
        },
      ],
      events: [
        {
          timestamp: begun,
          event_type: 'sign_in_attempt',
          event_description: 'Ada Lovelace began to sign in.',
        },
        {
          timestamp: '2026-11-20T10:00:01.004Z',
          event_type: 'agent_detection_success',
          event_description: 'The device proved itself.',
        },
        {
          timestamp: '2026-11-20T10:00:03.004Z',
          event_type: 'issue_viewed',
          event_description: 'Looked at "Disk is not encrypted".',
        },
        {
          timestamp: '2026-11-20T10:00:29.207Z',
          event_type: 'sign_in_success',
          event_description: '"Ada Lovelace" signed in.',
        },
      ],
      okta_app_instance_id: '0oa1',
      okta_app_name: 'Payroll',
    }
    const unknown = {
      id: nobody,
      timestamp: begun,
      person_name: vouched.name,
      person_email: vouched.email,
      person_info: { identifier: '', link: null },
      device_info: { identifier: '', link: null },
      result: 'Fail',
      initial_status: 'unknown',
      ip_address: '',
      agent_version: null,
      country: null,
      city: null,
      browser_name: '',
      browser_user_agent: '',
      issues_displayed: [],
      events: [],
      okta_app_instance_id: '',
      okta_app_name: '',
    }
    const list = await app.ask('GET', '/auth_logs', { headers })
    assert.deepEqual(
      [list.status, list.body],
      [200, { data: [signedIn, unknown], pagination: { next: '', current_cursor: '', next_cursor: '', count: 2 } }],
    )
    for (const entry of [signedIn, unknown]) {
      const one = await app.ask('GET', `/auth_logs/${entry.id}`, { headers, key: app.tenant.readOnlyKey })
      assert.deepEqual([one.status, one.body], [200, entry])
    }
  })
}

test('an auth log that never was is not found, and neither is one of another organization', async () => {
  const other = await app.addTenant()
  const { id } = await make.authLog(other.organizationId)
  for (const asked of [id, '999999', '0', 'x']) {
    const { status, body } = await app.ask('GET', `/auth_logs/${asked}`)
    assert.deepEqual([status, body], [404, missing], asked)
  }
})

test('auth logs are searched by time, place, agent, browser, person, device and result', async () => {
  const { organizationId } = app.tenant
  const ada = await make.person(organizationId)
  const device = await make.device(organizationId)
  const first = await make.authLog(organizationId, {
    started_at: '2026-11-19T08:00:00.250Z',
    person_id: ada.id,
    person_name: 'Ada 100%',
    person_email: 'Ada@acme.example',
    device_id: device.id,
    agent_version: '5.19.0',
    country: 'Sweden',
    city: 'Uppsala',
    result: 'Success',
  })
  const second = await make.authLog(organizationId, { ip_address: '2001:db8::7', browser_name: 'Safari' })
  const [one, two] = [first.id, second.id]
  const found: [query: string, ids: string[]][] = [
    ['timestamp:"2026-11-19T08:00:00.250Z"', [one]],
    ['timestamp<2026-11-20', [one]],
    ['timestamp>2026-11-20', [two]],
    ['city:Uppsala', [one]],
    ['city~UPPS', [one]],
    ['city:null', [two]],
    ['country:Sweden', [one]],
    ['country~wed', [one]],
    ['country:null', [two]],
    ['ip_address:"2001:db8::7"', [two]],
    ['ip_address~"192.0.2"', [one]],
    ['agent_version:5.19.0', [one]],
    ['agent_version~5.19', [one]],
    ['agent_version:null', [two]],
    ['browser_name:Safari', [two]],
    ['browser_name~fox', [one]],
    ['person_name:"Ada 100%"', [one]],
    ['person_name~%', [one]],
    ['person_email:ADA@ACME.EXAMPLE', [one]],
    ['person_email~"@acme"', [one]],
    [`person_id:${ada.id}`, [one]],
    [`person_id~${ada.id}`, [one]],
    ['person_id:null', [two]],
    [`device_id:${device.id}`, [one]],
    [`device_id~${device.id}`, [one]],
    ['device_id:99999999999999999999', []],
    ['device_id:null', [two]],
    ['result:Success', [one]],
    ['result:fail', [two]],
    ['result~succ', [one]],
    ['result:Fail OR city:Uppsala', [two, one]],
    ['', [two, one]],
  ]
  for (const [query, ids] of found) assert.deepEqual(await search(query), ids, query)
})

test('a wrong result, operator or field is refused', async () => {
  for (const query of ['result:Maybe', 'result>Fail', 'timestamp~2026', 'initial_status:blocked', 'id:1']) {
    const { status, body } = await app.ask('GET', `/auth_logs?query=${encodeURIComponent(query)}`)
    assert.deepEqual([status, body.error], [422, 'search_invalid'], query)
  }
})

test('a purged device stays in the auth logs', async () => {
  const { ada, device, issues } = await adaAndHerLaptop()
  const id = await start({ personId: ada.id, deviceId: device.id, now: begun })
  await show(id, issues, begun)
  const before = await app.ask('GET', `/auth_logs/${id}`)
  assert.equal(before.body.issues_displayed.length, 1)
  await app.db.deleteFrom('devices').where('organization_id', '=', app.tenant.organizationId).execute()
  assert.deepEqual((await app.ask('GET', `/auth_logs/${id}`)).body, before.body)
})

test('auth logs that are too old go, with all that belongs to them', async () => {
  const other = await app.addTenant()
  const { ada, device, issues } = await adaAndHerLaptop()
  const old = await start({ personId: ada.id, deviceId: device.id, now: begun })
  await record(old, 'sign_in_attempt', 'Began.', begun)
  await show(old, issues, begun)
  for (let made = 0; made < (engine === 'postgres' ? 2_500 : 3); made += 1) {
    await make.authLog(other.organizationId, { started_at: begun })
  }
  const kept = await make.authLog(other.organizationId, { started_at: plusMs(begun, 1) })
  assert.equal(await dropOldAuthLogs(app.db, plusMs(begun, 400 * 86_400_000)), 0)
  assert.equal(await dropOldAuthLogs(app.db, plusMs(begun, 400 * 86_400_000 + 1)), engine === 'postgres' ? 2_501 : 4)
  const left = await app.db.selectFrom('auth_logs').select('id').execute()
  assert.deepEqual(left, [{ id: kept.id }])
  for (const table of ['auth_log_events', 'auth_log_issues', 'auth_log_open_sessions'] as const) {
    assert.deepEqual(await app.db.selectFrom(table).selectAll().execute(), [], table)
  }
})
