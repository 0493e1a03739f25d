import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { addAdmin, openBrowser } from '../../../test/support/console.ts'
import { makeIn } from '../../../test/support/make.ts'
import { dropOldDays } from './drop-old-days.ts'
import { recordDays } from './record-days.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(async () => {
  app.setNow('2026-11-20T10:00:00.000Z')
  await app.reset()
  admin = undefined
})

async function seenDevice(organizationId: string, state: 'good' | 'notified') {
  const device = await make.device(organizationId)
  await app.db.updateTable('devices').set({ auth_state: state }).where('id', '=', device.id).execute()
  const presence = { organization_id: organizationId, device_id: device.id, last_seen_at: app.now() }
  await app.db.insertInto('device_presence').values(presence).execute()
  return device
}

let admin: { email: string } | undefined

async function summary() {
  admin ??= await addAdmin(app)
  const browser = openBrowser(app)
  assert.equal((await browser.signIn(admin.email)).status, 200)
  return (await browser.ask('GET', '/views/summary')).body
}

test('the last figures of each day are kept, apart for each organization, and shown until today', async () => {
  const { organizationId } = app.tenant
  const other = await app.addTenant('Other')
  await seenDevice(organizationId, 'good')
  await seenDevice(other.organizationId, 'good')
  await make.device(organizationId)
  await recordDays(app.db, '2026-11-18T09:00:00.000Z')
  await seenDevice(organizationId, 'notified')
  await recordDays(app.db, '2026-11-18T23:59:00.000Z')
  await recordDays(app.db, '2026-11-30T23:59:00.000Z')
  app.setNow('2026-11-30T12:00:00.000Z')
  const known = { blocked: 0, will_block: 0, notified: 1, good: 1, stale: 0, never: 1 }
  assert.deepEqual((await summary()).days, [{ day: '2026-11-18', ...known }], 'today is not over')
  app.setNow('2026-12-18T12:00:00.000Z')
  const later = (await summary()).days
  assert.deepEqual(later[1], { day: '2026-11-30', ...known, good: 0, notified: 0, stale: 2 })
})

test('figures that have not changed are not written, and old ones go', async () => {
  await seenDevice(app.tenant.organizationId, 'good')
  await recordDays(app.db, '2026-11-18T09:00:00.000Z')
  const versions = () =>
    sql`select xmin::text from compliance_days union all select xmin::text from device_standings`.execute(app.db)
  const before = await versions()
  assert.equal(before.rows.length, 2)
  await recordDays(app.db, '2026-11-18T10:00:00.000Z')
  assert.deepEqual(await versions(), before)
  await recordDays(app.db, '2026-11-19T10:00:00.000Z')
  const kept = '2026-11-19T00:00:00.000Z'
  await dropOldDays(app.db, { figures: kept, devices: kept })
  const left = await app.db.selectFrom('compliance_days').select('good').execute()
  assert.deepEqual(left, [{ good: 1 }])
  const device = await app.db.selectFrom('device_standings').select('standing').execute()
  assert.deepEqual(device, [{ standing: 'good' }], 'what is still true stays, however long')
  await app.db.updateTable('devices').set({ auth_state: 'notified' }).execute()
  await recordDays(app.db, '2026-11-20T10:00:00.000Z')
  await dropOldDays(app.db, { figures: kept, devices: '2026-11-20T00:00:00.000Z' })
  const latest = await app.db.selectFrom('device_standings').select('standing').execute()
  assert.deepEqual(latest, [{ standing: 'notified' }])
})

test('a check that fails shows how many devices failed it a week ago', async () => {
  const { organizationId } = app.tenant
  const check = await make.check(organizationId)
  const tally = { organization_id: organizationId, check_id: check.id, shard: 0 }
  await app.db
    .insertInto('check_tallies')
    .values({ ...tally, counted: 9, passing: 1, failing: 4, unknown: 4 })
    .execute()
  await recordDays(app.db, '2026-11-13T23:59:00.000Z')
  await app.db.updateTable('check_tallies').set({ passing: 3, failing: 2 }).where('check_id', '=', check.id).execute()
  const [row] = (await summary()).failing_checks
  assert.deepEqual([row.failing, row.counted, row.failing_a_week_ago], [2, 9, 4])
  await app.db.updateTable('check_days').set({ failing: null }).execute()
  const [unknown] = (await summary()).failing_checks
  assert.equal(unknown.failing_a_week_ago, null, 'a day that was noted before failures were')
})

test('changes of checks that may move devices are marked on their days, a few of each with the number of the rest', async () => {
  const { organizationId, key } = app.tenant
  const other = await app.addTenant('Other')
  const check = await make.check(organizationId, { name: 'Disk: "odd" is on' })
  const foreign = await make.check(other.organizationId)
  const change = async (day: string, body: object) => {
    app.setNow(`${day}T09:00:00.000Z`)
    assert.equal((await app.ask('PATCH', `/checks/${check.id}/configurations`, { key, body })).status, 200)
  }
  await change('2026-10-31', { remediation_strategy: 'notify_only' })
  await change('2026-11-02', { remediation_strategy: 'warn_then_block', snooze_disallowed: true })
  await change('2026-11-03', { snooze_disallowed: false })
  // As entries were written before they kept an action: the first tells that devices may move, the second does not.
  for (const [id, clause] of [
    ['901', 'paused from false to true'],
    ['902', 'snooze_disallowed from false to true'],
  ] as const) {
    await app.db
      .insertInto('audit_logs')
      .values({
        ...{ organization_id: organizationId, id, timestamp: '2026-11-05T09:00:00.000Z', actor_type: 'System' },
        ...{ actor_id: null, actor_name: 'Muster', actor_email: null, ip_address: null, about: null },
        description: `Updated the configuration of the check "Disk": ${clause}.`,
        ...{ action: null, changes: null, previous_hash: Buffer.of(1), hash: Buffer.of(1) },
      })
      .execute()
  }
  for (const days of [3, 4, 5, 6, 8]) await change('2026-11-20', { block_auth_grace_period_days: days })
  const body = { paused: true }
  assert.equal((await app.ask('PATCH', `/checks/${foreign.id}/configurations`, { key: other.key, body })).status, 200)
  app.setNow('2026-11-30T12:00:00.000Z')
  const { changes } = await summary()
  assert.deepEqual(
    changes.map((one: { day: string; changes: unknown[]; more: number }) => [one.day, one.changes.length, one.more]),
    [
      ['2026-11-02', 1, 0],
      ['2026-11-05', 1, 0],
      ['2026-11-20', 3, 2],
    ],
  )
  const [first] = changes[0].changes
  assert.deepEqual(first, {
    audit_log_id: first.audit_log_id,
    check_id: check.id,
    check_name: 'Disk: "odd" is on',
    timestamp: '2026-11-02T09:00:00.000Z',
    description:
      'Updated the configuration of the check "Disk: "odd" is on": snoozing no longer allowed; strategy changed from "Notify only" to "Warn, then block".',
  })
  assert.match(changes[2].changes[0].description, /from 6 to 8 days\.$/, 'the latest first')
})
