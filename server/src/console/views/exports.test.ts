import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn() {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

/** The address of a list as a file; two lists of the API have an address of their own for it. */
const fileOf = (list: string): string =>
  /^(checks\/|device_groups)/.test(list)
    ? `/views/exports/${list}`
    : `/views/${list}${list.includes('?') ? '&' : '?'}format=csv`

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')

test('a list is exported whole, by its filter, with no formula in it, and that is written down', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  await make.device(other.organizationId, { name: 'foreign' })
  const hostile = await make.device(organizationId, { name: "=cmd|' /C calc'!A0", serial: 'a,"b"' })
  await app.db
    .insertInto('devices')
    .values(
      Array.from({ length: 1_100 }, (_, index) => ({
        organization_id: organizationId,
        name: `bulk-${index}`,
        device_type: 'Linux' as const,
        form_factor: 'computer' as const,
        created_at: app.now(),
      })),
    )
    .execute()
  const browser = await signedIn()
  const { status, headers, body: text } = await browser.ask('GET', '/views/devices?format=csv')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(headers['content-disposition'], `attachment; filename="devices-${app.now().slice(0, 10)}.csv"`)
  const lines = linesOf(text)
  assert.equal(lines.length, 1_102, 'the head and every row, beyond one read')
  assert.equal(new Set(lines).size, 1_102)
  assert.equal(
    lines[0],
    'id,name,platform,state,will_block_at,blocked_since,owner_id,owner,operating_system,serial,open_issues,last_seen_at',
  )
  const line = lines.find((one) => one.startsWith(`${hostile.id},`)) ?? ''
  assert.ok(line.includes(`,'=cmd|' /C calc'!A0,`), line)
  assert.ok(line.includes('"a,""b"""'), line)
  assert.ok(!text.includes('foreign'))
  assert.equal(linesOf((await browser.ask('GET', '/views/devices?format=csv&search=bulk-10')).body).length, 112)
  assert.equal((await browser.ask('GET', '/views/devices?format=csv&standing=lost')).status, 422)
  const log = await browser.ask('GET', '/views/audit_logs?search=exported')
  assert.deepEqual(
    log.body.data.map(({ description }: { description: string }) => description),
    ['Exported devices as CSV.', 'Exported devices as CSV.'],
  )
})

test('people, issues, sign-ins and the audit log are exported by the filters of their lists', async () => {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId, { name: '@Ana', email: 'ana@halden.example' })
  await make.person(organizationId, { name: 'Bob' })
  const device = await make.device(organizationId, { name: 'mac' })
  const check = await make.check(organizationId)
  await app.db
    .insertInto('issues')
    .values(
      [null, app.now()].map((resolvedAt, index) => ({
        organization_id: organizationId,
        device_id: device.id,
        check_id: check.id,
        title: 'Key',
        issue_key: 'path',
        issue_value: `+path-${index}`,
        value: JSON.stringify({}),
        detected_at: app.now(),
        resolved_at: resolvedAt,
        last_rechecked_at: app.now(),
      })),
    )
    .execute()
  await make.authLog(organizationId, { person_id: owner.id, person_name: '-Ana', started_at: app.now() })
  await make.authLog(organizationId, { person_name: 'Bob', result: 'Success', started_at: app.now() })
  const browser = await signedIn()
  const exported = async (path: string) => linesOf((await browser.ask('GET', fileOf(path))).body)

  const people = await exported('people?search=ana')
  assert.equal(people.length, 2)
  assert.ok(people[1]?.startsWith(`${owner.id},'@Ana,ana@halden.example,0,,0,`), people[1])

  const open = await exported('issues')
  assert.equal(open.length, 2)
  assert.match(open[1] ?? '', /,Key,'\+path-0,/)
  assert.equal((await exported('issues?state=resolved')).length, 2)
  assert.deepEqual((await browser.ask('GET', '/views/issues?count=true')).body, { count: 1 })

  const failed = await exported('sign_ins?result=Fail')
  assert.equal(failed.length, 2)
  assert.match(failed[1] ?? '', /,Fail,unknown,\d+,'-Ana,/)

  const audit = await exported('audit_logs?search=exported')
  assert.ok(audit.some((line) => line.includes('Exported people as CSV.')))
})

test('checks, results, requests, groups and live queries are exported by the filters of their lists', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  const foreign = await make.check(other.organizationId, { name: 'Foreign' })
  const ana = await make.person(organizationId, { name: 'Ana' })
  const [mac, linux] = [
    await make.device(organizationId, { name: 'mac', registered_owner_id: ana.id }),
    await make.device(organizationId, { name: 'linux' }),
  ]
  const check = await make.check(organizationId, { name: 'Disk' })
  await make.check(organizationId, { name: 'Firewall' })
  await make.result({ device: mac, check, rows: 'FAIL', at: app.now() })
  await make.result({ device: linux, check, rows: 'PASS', at: app.now() })
  await make.deviceGroup(organizationId, { name: 'Laptops' })
  await make.personGroup(organizationId, { name: 'Finance' })
  await make.registrationRequest({ device: linux, person: ana })
  const browser = await signedIn()
  const exported = async (path: string) => {
    const { status, body } = await browser.ask('GET', fileOf(path))
    assert.equal(status, 200, path)
    return linesOf(body)
  }

  assert.deepEqual(
    (await exported('checks?search=disk')).slice(1).map((line) => line.split(',')[1]),
    ['Disk'],
  )
  assert.equal((await exported('checks')).length, 3)
  const results = await exported(`checks/${check.id}/results?query=${encodeURIComponent('status:"failing"')}`)
  assert.equal(results.length, 2)
  assert.ok(results[1]?.startsWith(`${mac.id},mac,failing,${app.now()},`), results[1])
  assert.equal((await browser.ask('GET', `/views/exports/checks/${check.id}/results?query=nothing:1`)).status, 422)
  assert.equal((await browser.ask('GET', `/views/exports/checks/${foreign.id}/results`)).status, 404)
  assert.deepEqual(
    (await exported('device_groups')).slice(1).map((line) => line.split(',')[1]),
    ['Laptops'],
  )
  assert.equal((await exported(`device_groups?query=${encodeURIComponent('name:"x"')}`)).length, 1)
  assert.deepEqual(
    (await exported('person_groups?search=fin')).slice(1).map((line) => line.split(',')[1]),
    ['Finance'],
  )
  const asked = await exported('registration_requests?status=waiting')
  assert.equal(asked.length, 2)
  assert.ok(asked[1]?.includes(`,${ana.id},Ana,${linux.id},linux,`), asked[1])
  assert.equal((await exported('exemption_requests')).length, 1)
  assert.equal((await exported('live_queries')).length, 1)
  const log = await browser.ask('GET', '/views/audit_logs?search=disk')
  assert.equal(log.body.data[0].description, 'Exported the results of the check "Disk" as CSV.')
})

test('what was sent is exported by administrators who may see it', async () => {
  const browser = await signedIn()
  const events = ['issues.new']
  const { body: hook } = await browser.ask('POST', '/webhook_endpoints', {
    url: 'https://hooks.halden.example/in',
    events,
  })
  assert.equal((await browser.ask('POST', `/webhook_endpoints/${hook.id}/test`, { event: 'issues.new' })).status, 200)
  const { body: stream } = await browser.ask('POST', '/ssf_streams', {
    name: 'Gateway',
    delivery: { method: 'urn:ietf:rfc:8936' },
  })
  assert.equal((await browser.ask('POST', `/ssf_streams/${stream.id}/verify`, {})).status, 204)
  const paths = [
    `/views/webhooks/${hook.id}/deliveries?format=csv`,
    `/views/streams/${stream.id}/events?format=csv`,
    `/views/streams/${stream.stream_id}/events?format=csv`,
  ]
  for (const path of paths) {
    const { status, body } = await browser.ask('GET', path)
    assert.equal(status, 200, path)
    const lines = linesOf(body)
    assert.equal(lines.length, 2, path)
    assert.match(lines[1] ?? '', /issues\.new|verification/)
    assert.equal(linesOf((await browser.ask('GET', `${path}&state=pending`)).body).length, 2)
    assert.equal((await browser.ask('GET', path.replace(/[^/]+(?=\/\w+\?)/, '900000000000000001'))).status, 404)
  }
  const limited = await addAdmin(app, {
    email: 'tom@acme.example',
    access: 'limited',
    restrictions: ['manage_webhooks', 'manage_ssf_streams'],
  })
  const tom = openBrowser(app)
  assert.equal((await tom.signIn(limited.email)).status, 200)
  for (const path of paths) assert.equal((await tom.ask('GET', path)).status, 403, path)
})

test('nothing is exported without a session', async () => {
  const browser = openBrowser(app)
  const lists = ['devices', 'people', 'issues', 'sign_ins', 'audit_logs', 'checks', 'device_groups', 'person_groups']
  for (const name of [...lists, 'exemption_requests', 'registration_requests', 'live_queries', 'streams/1/events']) {
    assert.equal((await browser.ask('GET', fileOf(name))).status, 401, name)
  }
})
