import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { DeviceHistoryEntry, MovedDevice } from '@muster/contract/console-devices.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { letBlocksThrough } from '../../../test/support/let-blocks-through.ts'
import { contextAt, makeIn } from '../../../test/support/make.ts'
import { plusMs } from '../../base/time.ts'
import { removeCheck } from '../../checks/definitions/remove-check.ts'
import { endExpiredExemptions } from '../../compliance/exemptions/end-expired-exemptions.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { findCause } from '../../signals/audit/queries.ts'

const app = testApp()
const make = makeIn(app)
let browser: ReturnType<typeof openBrowser>

beforeEach(async () => {
  await app.reset()
  browser = openBrowser(app)
  const admin = await addAdmin(app, { email: 'pat@acme.example' })
  assert.equal((await browser.signIn(admin.email)).status, 200)
})

async function failing(name: string, devices: number, columns: Parameters<typeof make.check>[1] = {}) {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId, { name, ...columns })
  const owner = await make.person(organizationId)
  await letBlocksThrough(app.db, organizationId, check.id, app.now())
  const made = await Promise.all(
    Array.from({ length: devices }, (_, place) =>
      make.device(organizationId, { name: `${name} ${place}`, registered_owner_id: owner.id }),
    ),
  )
  for (const device of made) await make.issue({ device, check, at: app.now() })
  return { check, devices: made }
}

const configure = async (checkId: string, asked: object) => {
  app.setNow(plusMs(app.now(), 1_000))
  assert.equal((await browser.ask('PATCH', `/checks/${checkId}/configurations`, asked)).status, 200)
  return latestEntry()
}
const latestEntry = async (): Promise<string> => (await browser.ask('GET', '/views/audit_logs')).body.data[0].id
const recompute = (checkId: string) => {
  const asked = { organizationId: app.tenant.organizationId, checkId }
  return recomputeCheck(app.db, asked, () => contextAt(app.now()), new AbortController().signal)
}
const moved = async (entryId: string, query = '') => {
  const { status, body } = await browser.ask('GET', `/views/audit_logs/${entryId}/devices${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body as { data: MovedDevice[]; count: number; pagination: { next_cursor: string } }
}
const namesOf = (rows: readonly MovedDevice[]) => rows.map((row) => row.device_name).sort()
const countOf = async (entryId: string) => (await moved(entryId, '?count=true')).count

test('an entry leads to the devices whose state it changed, in pages, with their number', async () => {
  const { check, devices } = await failing('Disk', 5)
  const entry = await configure(check.id, { remediation_strategy: 'block_immediately' })
  assert.deepEqual([(await moved(entry)).data, await countOf(entry)], [[], 0], 'before they are decided')
  await recompute(check.id)
  const seen: MovedDevice[] = []
  for (let cursor = ''; ; ) {
    const page = await moved(entry, `?per_page=2&cursor=${cursor}`)
    seen.push(...page.data)
    cursor = page.pagination.next_cursor
    if (cursor === '') break
  }
  assert.deepEqual(namesOf(seen), ['Disk 0', 'Disk 1', 'Disk 2', 'Disk 3', 'Disk 4'])
  assert.deepEqual(
    seen.map(({ id }) => Number(id)),
    seen.map(({ id }) => Number(id)).sort((one, other) => other - one),
  )
  assert.deepEqual(
    seen.find(({ device_id }) => device_id === devices[0]?.id),
    {
      ...{ id: seen.find(({ device_id }) => device_id === devices[0]?.id)?.id },
      ...{ device_id: devices[0]?.id, device_name: 'Disk 0', from: 'good', to: 'blocked', occurred_at: app.now() },
    },
  )
  assert.equal(await countOf(entry), 5)
  assert.ok((await browser.ask('DELETE', `/devices/${devices[0]?.id}`)).status < 300)
  assert.deepEqual(
    (await moved(entry)).data.filter(({ device_name: name }) => name === null).map(({ device_id: id }) => id),
    [devices[0]?.id],
  )
})

test('both of two saves that devices are decided with lead to them, and what changes nothing to none', async () => {
  const { check } = await failing('Disk', 2)
  const first = await configure(check.id, { remediation_strategy: 'block_immediately' })
  const second = await configure(check.id, { snooze_disallowed: true })
  const third = await configure(check.id, { remediation_strategy: 'notify_only' })
  await recompute(check.id)
  const later = await configure(check.id, { exemptions_disallowed: true })
  await recompute(check.id)
  for (const entry of [first, third]) {
    assert.deepEqual([namesOf((await moved(entry)).data), await countOf(entry)], [['Disk 0', 'Disk 1'], 2], entry)
  }
  assert.equal(await countOf(later), 0)
  assert.ok([0, 2].includes(await countOf(second)))
})

test('an entry about a device leads to that device alone, one about a check to those decided again for it', async () => {
  const { check, devices } = await failing('Disk', 2)
  const other = await failing('Firewall', 2)
  await configure(check.id, { remediation_strategy: 'notify_only' })
  await recompute(check.id)
  // One request, so one cause, for all of it.
  await sql`alter table audit_logs disable trigger user`.execute(app.db)
  await sql`update audit_logs set cause = 'one' where action in ('check.configured', 'device.unregistered')`.execute(
    app.db,
  )
  await sql`update events set cause = 'one' where type = 'device_trust.status_changed'`.execute(app.db)
  const entry = await latestEntry()
  const second = await configure(other.check.id, { remediation_strategy: 'notify_only' })
  await recompute(other.check.id)
  await sql`update audit_logs set cause = 'one' where id = ${second}`.execute(app.db)
  await sql`update events set cause = 'one' where type = 'device_trust.status_changed'`.execute(app.db)
  assert.deepEqual(namesOf((await moved(entry)).data), ['Disk 0', 'Disk 1'])
  assert.deepEqual(namesOf((await moved(second)).data), ['Firewall 0', 'Firewall 1'])
  await sql`update audit_logs set about = array['device:' || ${devices[1]?.id}::text] where id = ${entry}`.execute(
    app.db,
  )
  assert.deepEqual([namesOf((await moved(entry)).data), await countOf(entry)], [['Disk 1'], 1])
  await sql`alter table audit_logs enable trigger user`.execute(app.db)
})

test('an entry of before causes were kept leads to none, and one of another organization is not there', async () => {
  const { check } = await failing('Disk', 1)
  const entry = await configure(check.id, { remediation_strategy: 'notify_only' })
  await recompute(check.id)
  assert.equal(await countOf(entry), 1)
  await sql`alter table audit_logs disable trigger user`.execute(app.db)
  await sql`update audit_logs set cause = null where id = ${entry}`.execute(app.db)
  await sql`alter table audit_logs enable trigger user`.execute(app.db)
  assert.deepEqual([(await moved(entry)).data, await countOf(entry)], [[], 0])
  const other = await app.addTenant('Other')
  const stranger = await addAdmin(app, { email: 'kim@other.example', organizationId: other.organizationId })
  const elsewhere = openBrowser(app)
  assert.equal((await elsewhere.signIn(stranger.email)).status, 200)
  for (const form of ['', '?count=true']) {
    assert.equal((await elsewhere.ask('GET', `/views/audit_logs/${entry}/devices${form}`)).status, 404, form)
    assert.equal((await browser.ask('GET', `/views/audit_logs/999999/devices${form}`)).status, 404, form)
  }
})

/** What the history of a device says of the latest change of its state, and whether each of those entries leads to the device. */
async function told(deviceId: string) {
  const { body } = await browser.ask('GET', `/views/devices/${deviceId}/history`)
  const latest = (body.data as DeviceHistoryEntry[]).find(({ kind }) => kind === 'state') ?? assert.fail('no state')
  for (const { id } of latest.entries) {
    assert.ok((await moved(id)).data.some((row) => row.device_id === deviceId && row.id === latest.id))
  }
  return [latest.to, ...latest.entries.map(({ actor_name: name, description }) => `${name}: ${description}`)]
}

test('a saved configuration, a changed group, an exemption that ends and a deleted check are told and lead to the device', async () => {
  const { organizationId } = app.tenant
  const { check, devices } = await failing('Disk', 1, { type: 'custom', is_provided: false })
  const deviceId = devices[0]?.id ?? ''
  const group = await make.deviceGroup(organizationId, { name: 'Laptops' })
  await configure(check.id, { remediation_strategy: 'block_immediately', blocking_allowed_groups: [group.id] })
  await recompute(check.id)
  app.setNow(plusMs(app.now(), 1_000))
  const joined = await browser.ask('POST', `/device_groups/${group.id}/memberships`, { device_ids: [deviceId] })
  assert.ok(joined.status < 300)
  assert.deepEqual(await told(deviceId), [
    'blocked',
    'Maya Lindqvist: Added the device "Disk 0" to the device group "Laptops".',
  ])

  const exemption = { reason: 'On loan.', expires_at: plusMs(app.now(), 60_000) }
  const exempted = await browser.ask('POST', `/devices/${deviceId}/checks/${check.id}/exemption`, exemption)
  assert.ok(exempted.status < 300, JSON.stringify(exempted.body))
  assert.equal((await told(deviceId))[0], 'good')
  app.setNow(plusMs(app.now(), 120_000))
  assert.equal(await endExpiredExemptions(app.db, () => contextAt(app.now())), 1)
  assert.deepEqual(await told(deviceId), [
    'blocked',
    'Muster: Ended the exemption of the device "Disk 0" from the check "Disk": its time was up.',
  ])

  await configure(check.id, { remediation_strategy: 'notify_only' })
  await recompute(check.id)
  assert.deepEqual(await told(deviceId), [
    'notified',
    'Maya Lindqvist: Updated the configuration of the check "Disk": strategy changed from "Block immediately" to "Notify only".',
  ])

  assert.ok((await browser.ask('DELETE', `/checks/${check.id}`)).status < 300)
  const cause = await findCause(app.db, organizationId, { action: 'check.deleted', about: { check: check.id } })
  const origin = { ...contextAt(app.now()), ...cause }
  await removeCheck(app.db, { organizationId, checkId: check.id }, () => origin, new AbortController().signal)
  assert.deepEqual(await told(deviceId), ['good', 'Maya Lindqvist: Deleted the check "Disk".'])
})
