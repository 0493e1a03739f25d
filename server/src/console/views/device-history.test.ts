import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { announce } from '../../signals/events/announce.ts'

const app = testApp()
const make = makeIn(app)
let browser: ReturnType<typeof openBrowser>

beforeEach(async () => {
  await app.reset()
  browser = openBrowser(app)
  const admin = await addAdmin(app, { email: 'pat@acme.example' })
  assert.equal((await browser.signIn(admin.email)).status, 200)
})

async function failing() {
  const { organizationId } = app.tenant
  const owner = await make.person(organizationId)
  const device = await make.device(organizationId, { name: 'mac', registered_owner_id: owner.id })
  const check = await make.check(organizationId, { name: 'Disk' })
  await make.issue({ device, check, at: app.now() })
  return { organizationId, device, check }
}

async function latestState(deviceId: string): Promise<DeviceHistoryEntry> {
  const { body } = await browser.ask('GET', `/views/devices/${deviceId}/history`)
  return (body.data as DeviceHistoryEntry[]).find(({ kind }) => kind === 'state') ?? assert.fail('no state changed')
}

test('a state that a changed check brought about names the entry of that change, however late it is decided', async () => {
  const { organizationId, device, check } = await failing()
  const path = `/checks/${check.id}/configurations`
  assert.equal((await browser.ask('PATCH', path, { remediation_strategy: 'notify_only' })).status, 200)
  app.setNow(plusMs(app.now(), 60_000))
  assert.equal((await browser.ask('PATCH', path, { snooze_disallowed: true })).status, 200)
  await recomputeCheck(
    app.db,
    { organizationId, checkId: check.id },
    () => contextAt(plusMs(app.now(), 5_000)),
    new AbortController().signal,
  )
  const { from, to, entries, check: named } = await latestState(device.id)
  const [entry] = entries
  assert.deepEqual([from, to, named], ['good', 'notified', { id: check.id, name: 'Disk' }])
  const said = 'Updated the configuration of the check "Disk": strategy changed from "Report only" to "Notify only".'
  assert.equal(entry?.description, said)
  const { body } = await browser.ask('GET', `/audit_logs/${entry?.id}`)
  assert.deepEqual([body.description, body.actor_name], [said, entry?.actor_name])
})

test('a state that something done to the device brought about names the entry of it', async () => {
  const { device, check } = await failing()
  const path = `/checks/${check.id}/configurations`
  assert.equal((await browser.ask('PATCH', path, { remediation_strategy: 'notify_only' })).status, 200)
  const recompute = { organizationId: app.tenant.organizationId, checkId: check.id }
  await recomputeCheck(app.db, recompute, () => contextAt(app.now()), new AbortController().signal)
  app.setNow(plusMs(app.now(), 60_000))
  assert.equal((await browser.ask('DELETE', `/devices/${device.id}/registration`)).status, 200)
  const { to, entries, check: named } = await latestState(device.id)
  assert.deepEqual([to, named], ['good', null])
  assert.match(entries[0]?.description ?? '', /device "mac"/)
})

test('where the cause is not known, none is named', async () => {
  const { organizationId, device, check } = await failing()
  const state = { type: 'device_trust.status_changed', from: 'good', to: 'blocked', initiator: 'admin' } as const
  const of = { ...state, organizationId, deviceId: device.id, cause: 'one', at: app.now() }
  await transact(app.db, (tx) => announce(tx, [of]))
  const old = await latestState(device.id)
  assert.deepEqual([old.entries, old.check], [[], null])
  const decidedFor = { checkId: check.id, requestedAt: plusMs(app.now(), -1) }
  await transact(app.db, (tx) => announce(tx, [{ ...of, decidedFor }]))
  const known = await latestState(device.id)
  assert.deepEqual([known.entries, known.check], [[], { id: check.id, name: 'Disk' }])
})

test('a state that the change of a group brought about names the entry of the group', async () => {
  const { device, check } = await failing()
  const group = await make.deviceGroup(app.tenant.organizationId, { name: 'Laptops' })
  const path = `/checks/${check.id}/configurations`
  const asked = { remediation_strategy: 'notify_only', blocking_allowed_groups: [group.id] }
  assert.equal((await browser.ask('PATCH', path, asked)).status, 200)
  const recompute = { organizationId: app.tenant.organizationId, checkId: check.id }
  await recomputeCheck(app.db, recompute, () => contextAt(app.now()), new AbortController().signal)
  app.setNow(plusMs(app.now(), 60_000))
  const joined = await browser.ask('POST', `/device_groups/${group.id}/memberships`, { device_ids: [device.id] })
  assert.ok(joined.status < 300, JSON.stringify(joined.body))
  const { entries } = await latestState(device.id)
  assert.match(entries[0]?.description ?? '', /"Laptops"/)
})

test('a state whose cause is of before causes were kept is found by its moment', async () => {
  const { organizationId, device, check } = await failing()
  const path = `/checks/${check.id}/configurations`
  assert.equal((await browser.ask('PATCH', path, { remediation_strategy: 'notify_only' })).status, 200)
  await sql`alter table audit_logs disable trigger user`.execute(app.db)
  await sql`update audit_logs set cause = null, request_id = null`.execute(app.db)
  await sql`alter table audit_logs enable trigger user`.execute(app.db)
  await recomputeCheck(
    app.db,
    { organizationId, checkId: check.id },
    () => contextAt(plusMs(app.now(), 5_000)),
    new AbortController().signal,
  )
  const { entries } = await latestState(device.id)
  assert.match(entries[0]?.description ?? '', /^Updated the configuration of the check "Disk"/)
})
