import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { transact } from '../../base/db/transact.ts'
import { followReportedFacts, type ReportedFacts } from '../../inventory/devices/follow-reported-facts.ts'
import { announce } from '../../signals/events/announce.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

async function signedIn(restrictions: readonly string[] = []) {
  const admin = await addAdmin(app, {
    email: `${randomUUID()}@acme.example`,
    access: restrictions.length > 0 ? 'limited' : 'full',
    restrictions,
  })
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return browser
}

const reports = (deviceId: string, facts: ReportedFacts) =>
  transact(app.db, (tx) => {
    const place = { organizationId: app.tenant.organizationId, deviceId }
    return followReportedFacts(tx, place, facts, { cause: 'a report', now: app.now() })
  })

test('getInventoryOfDevice counts the rows of each table that the device has reported', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId)
  const browser = await signedIn()
  const of = { organization_id: organizationId, device_id: id, reporting_table: 'device_mounts' }
  const snapshot = { ...of, digest: Buffer.alloc(1), is_truncated: false, is_scheduled: true, taken_at: app.now() }
  await app.db.insertInto('device_snapshots').values(snapshot).execute()
  const rows = ['/', '/home'].map((path) => ({ ...of, content: JSON.stringify({ path }) }))
  await app.db.insertInto('device_snapshot_rows').values(rows).execute()
  const { status, body } = await browser.ask('GET', `/views/devices/${id}/inventory`)
  assert.deepEqual([status, body], [200, { tables: [{ name: 'device_mounts', row_count: 2 }] }])
  assert.equal((await browser.ask('GET', '/views/devices/999/inventory')).status, 404)
})

test('a device is renamed and noted, once each, and keeps the name when it reports another', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId, { name: 'MAC-0042' })
  const browser = await signedIn()
  const path = `/devices/${id}`
  for (const _time of [1, 2]) {
    const { status, body } = await browser.ask('PATCH', path, { name: ' Ana’s Mac ', note: 'Lent to the lab' })
    assert.deepEqual([status, body.name, body.note], [200, 'Ana’s Mac', 'Lent to the lab'])
  }
  await reports(id, { name: 'MAC-0042', agent_version: '5.19.0' })
  assert.equal((await browser.ask('GET', `/devices/${id}`)).body.name, 'Ana’s Mac')
  assert.equal((await browser.ask('PATCH', path, { note: ' ' })).body.note, null)
  const log = await browser.ask('GET', '/views/audit_logs?about=Ana%E2%80%99s%20Mac')
  assert.deepEqual(
    log.body.data.map(({ description }: { description: string }) => description),
    [
      'Took the note "Lent to the lab" from the device "Ana’s Mac".',
      'Noted "Lent to the lab" about the device "Ana’s Mac".',
      'Renamed the device "MAC-0042" to "Ana’s Mac".',
    ],
  )
  assert.equal((await browser.ask('PATCH', path, { name: ' ' })).status, 422)
  assert.equal((await browser.ask('PATCH', path, { note: 'x'.repeat(2_001) })).status, 422)
  assert.equal((await (await signedIn(['update_devices'])).ask('PATCH', path, { note: 'no' })).status, 403)
})

test('lists, searches, filters and exports show a device as it last reported itself', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId, { name: 'old', operating_system: 'macOS 14.1.2' })
  await reports(id, { name: 'new', operating_system: 'macOS 15.3.1', hardware_model: 'Mac15,1' })
  const browser = await signedIn()
  const record = (await browser.ask('GET', `/devices/${id}`)).body
  assert.deepEqual([record.name, record.operating_system, record.hardware_model], ['new', 'macOS 15.3.1', 'Mac15,1'])
  const found = async (path: string) => (await browser.ask('GET', path)).body.data.map((row: { id: string }) => row.id)
  assert.deepEqual(await found('/devices?query=name:new'), [id])
  assert.deepEqual(await found('/devices?query=name:old'), [])
  assert.deepEqual(await found('/views/devices?search=new'), [id])
  assert.deepEqual(await found('/views/devices?search=old'), [])
  const sheet = await browser.ask('GET', '/views/devices?format=csv')
  assert.match(sheet.body, /new[^\n]*macOS 15\.3\.1/)
})

test('the history of a device has its states with the issues of the same moment, newest first', async () => {
  const { organizationId } = app.tenant
  const { id: deviceId } = await make.device(organizationId, { name: 'mac' })
  const { id: otherId } = await make.device(organizationId, { name: 'other' })
  const check = await make.check(organizationId)
  const at = app.now()
  const issue = { type: 'issues.new', issueId: '9', checkId: check.id, title: 'Key without a passphrase' } as const
  const change = { type: 'device_trust.status_changed', initiator: 'user' } as const
  await reports(deviceId, { name: 'mac', agent_version: '5.19.0' })
  await transact(app.db, (tx) =>
    announce(tx, [
      { organizationId, cause: 'one', at, deviceId, type: 'devices.registered', deviceName: 'mac' },
      { organizationId, cause: 'two', at, deviceId, ...issue },
      { organizationId, cause: 'two', at, deviceId: otherId, ...issue, title: 'Of another device' },
      { organizationId, cause: 'two', at, deviceId, ...change, from: 'good', to: 'will_block' },
    ]),
  )
  const browser = await signedIn()
  const { body } = await browser.ask('GET', `/views/devices/${deviceId}/history`)
  const [changed, registered, reported] = body.data
  const nothing = { from: null, to: null, initiator: null, reasons: [], entries: [], check: null, changes: [] }
  const changes = [{ field: 'agent_version', from: null, to: '5.19.0' }]
  assert.deepEqual(body.data, [
    {
      id: changed.id,
      occurred_at: at,
      kind: 'state',
      from: 'good',
      to: 'will_block',
      initiator: 'user',
      reasons: [{ what: 'new', issue_id: '9', title: 'Key without a passphrase' }],
      entries: [],
      check: null,
      changes: [],
    },
    { ...nothing, id: registered.id, occurred_at: at, kind: 'registered' },
    { ...nothing, id: reported.id, occurred_at: at, kind: 'updated', changes },
  ])
  const other = await app.addTenant('Other')
  const foreign = await make.device(other.organizationId, { name: 'foreign' })
  assert.equal((await browser.ask('GET', `/views/devices/${foreign.id}/history`)).status, 404)
})

test('a device shows which live queries it was asked and what became of them', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId, { name: 'mac' })
  const browser = await signedIn()
  const asked = { name: 'Uptime', sql: 'select * from uptime', targeted_device_ids: [id] }
  const { body: campaign } = await browser.ask('POST', '/live_query_campaigns', asked)
  const { body } = await browser.ask('GET', `/views/devices/${id}/live_queries`)
  assert.deepEqual(body.data, [
    {
      id: campaign.id,
      name: 'Uptime',
      started_at: app.now(),
      status: 'waiting',
      row_count: null,
      error_message: null,
    },
  ])
})

test('a deleted device is named while it can be restored, and comes back', async () => {
  const { organizationId } = app.tenant
  const { id } = await make.device(organizationId, { name: 'build-runner-07' })
  const browser = await signedIn()
  const limited = await signedIn(['remove_devices'])
  const path = `/views/deleted_devices/${id}`
  assert.equal((await browser.ask('GET', path)).status, 404)
  assert.equal((await browser.ask('POST', `/deleted_devices/${id}/restore`)).status, 404)
  assert.equal((await browser.ask('DELETE', `/devices/${id}`)).status, 200)
  const { body } = await limited.ask('GET', path)
  assert.deepEqual(body, {
    id,
    name: 'build-runner-07',
    deleted_at: app.now(),
    restorable_until: body.restorable_until,
  })
  assert.ok(body.restorable_until >= body.deleted_at)
  assert.equal((await limited.ask('POST', `/deleted_devices/${id}/restore`)).status, 403)
  const restored = await browser.ask('POST', `/deleted_devices/${id}/restore`)
  assert.deepEqual([restored.status, restored.body.id], [200, id])
  assert.equal((await browser.ask('GET', `/devices/${id}`)).status, 200)
  assert.equal((await browser.ask('POST', `/deleted_devices/${id}/restore`)).status, 404)
})

test('refreshFailingChecks has what fails run again on the devices that are there, and nothing else', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  const foreign = await make.device(other.organizationId)
  await make.result({ device: foreign, check: await make.check(other.organizationId), rows: 'FAIL', at: app.now() })
  const [one, two, gone] = [
    await make.device(organizationId),
    await make.device(organizationId),
    await make.device(organizationId),
  ]
  const disk = await make.check(organizationId)
  const wall = await make.check(organizationId)
  const paused = await make.check(organizationId)
  const told = await make.check(organizationId, { type: 'external', is_provided: false })
  for (const device of [one, two, gone]) {
    await make.result({ device, check: disk, rows: 'FAIL', at: app.now() })
    await make.result({ device, check: wall, rows: device === one ? 'FAIL' : 'PASS', at: app.now() })
  }
  for (const check of [paused, told]) await make.result({ device: one, check, rows: 'FAIL', at: app.now() })
  await app.db
    .updateTable('check_configurations')
    .set({ paused_at: app.now() })
    .where('check_id', '=', paused.id)
    .execute()
  await app.db.updateTable('devices').set({ deleted_at: app.now() }).where('id', '=', gone.id).execute()
  const browser = await signedIn()
  const device_ids = [one.id, two.id, gone.id, foreign.id, '900000000000000001', one.id]
  const ask = () => browser.ask('POST', '/check_refreshes', { device_ids })
  assert.deepEqual((await ask()).body, { devices_count: 2, checks_count: 3 })
  assert.deepEqual((await ask()).body, { devices_count: 2, checks_count: 3 }, 'asked again, still once each')
  const waiting = await app.db
    .selectFrom('check_refreshes')
    .select(['device_id', 'check_id'])
    .orderBy('device_id')
    .orderBy('check_id')
    .execute()
  assert.deepEqual(waiting, [
    { device_id: one.id, check_id: disk.id },
    { device_id: one.id, check_id: wall.id },
    { device_id: two.id, check_id: disk.id },
  ])
  const limited = await signedIn(['refresh_check'])
  assert.equal((await limited.ask('POST', '/check_refreshes', { device_ids })).status, 403)
  for (const wrong of [[], ['x'], Array.from({ length: 101 }, (_, index) => String(index))]) {
    assert.equal((await browser.ask('POST', '/check_refreshes', { device_ids: wrong })).status, 422)
  }
})
