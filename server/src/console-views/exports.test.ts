import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../test/support/console.ts'
import { makeIn } from '../../test/support/make.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn() {
  const admin = await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

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
  const { status, headers, body: text } = await browser.ask('GET', '/views/exports/devices')
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
  assert.equal(linesOf((await browser.ask('GET', '/views/exports/devices?search=bulk-10')).body).length, 112)
  assert.equal((await browser.ask('GET', '/views/exports/devices?standing=lost')).status, 422)
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
  const exported = async (path: string) => linesOf((await browser.ask('GET', `/views/exports/${path}`)).body)

  const people = await exported('people?search=ana')
  assert.equal(people.length, 2)
  assert.ok(people[1]?.startsWith(`${owner.id},'@Ana,ana@halden.example,0,,0,`), people[1])

  const open = await exported('issues')
  assert.equal(open.length, 2)
  assert.match(open[1] ?? '', /,Key,'\+path-0,/)
  assert.equal((await exported('issues?state=resolved')).length, 2)
  assert.deepEqual((await browser.ask('GET', '/views/issue_count')).body, { count: 1 })

  const failed = await exported('sign_ins?result=Fail')
  assert.equal(failed.length, 2)
  assert.match(failed[1] ?? '', /,Fail,unknown,\d+,'-Ana,/)

  const audit = await exported('audit_logs?search=exported')
  assert.ok(audit.some((line) => line.includes('Exported people as CSV.')))
})

test('nothing is exported without a session', async () => {
  const browser = openBrowser(app)
  for (const name of ['devices', 'people', 'issues', 'sign_ins', 'audit_logs']) {
    assert.equal((await browser.ask('GET', `/views/exports/${name}`)).status, 401, name)
  }
})
