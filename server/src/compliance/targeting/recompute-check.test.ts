import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import { engine, testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { letBlocksThrough } from '../../../test/support/let-blocks-through.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { type ChangeOrigin, systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { recomputeCheck } from './recompute-check.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

/** Macs that fail the check, all of one owner. */
async function failingFleet(count: number): Promise<MadeCheck> {
  const owner = await make.person(organizationId)
  await sql`
    insert into devices (organization_id, name, device_type, form_factor, registered_owner_id, registered_at, created_at)
    select ${organizationId}::bigint, 'Mac ' || number, 'Mac', 'computer', ${owner.id}::bigint, ${startOfTests}::timestamptz, ${startOfTests}::timestamptz
    from generate_series(1, ${count}) as number`.execute(database.db)
  const check = await make.check(organizationId)
  await sql`update check_results set status = 'failing', query_revision = 1, ran_at = ${startOfTests}::timestamptz`.execute(
    database.db,
  )
  await sql`
    insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at)
    select organization_id, device_id, check_id, 'An issue', '{}', ran_at, ran_at from check_results`.execute(
    database.db,
  )
  await letBlocksThrough(database.db, organizationId, check.id, startOfTests)
  return check
}

const configure = (check: MadeCheck, request: CheckConfigurationRequest, now = minute(1)) =>
  transact(database.db, (tx) =>
    updateConfiguration(tx, { checkId: check.id, request }, systemChange(organizationId, now)),
  )

const recompute = (check: MadeCheck, context: () => ChangeOrigin = () => contextAt(minute(1)), signal = never) =>
  recomputeCheck(database.db, { organizationId, checkId: check.id }, context, signal)
const never = new AbortController().signal

const progress = () =>
  database.db
    .selectFrom('check_recomputations')
    .select(['scope', 'last_device_id', 'settled_devices', 'finished_at'])
    .execute()

const states = async () => {
  const { rows } = await sql<{ auth_state: string; count: number }>`
    select auth_state, count(*)::int as count from devices group by 1 order by 1`.execute(database.db)
  return Object.fromEntries(rows.map((row) => [row.auth_state, row.count]))
}

const statuses = async () => {
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*)::int as count from check_results group by 1 order by 1`.execute(database.db)
  return Object.fromEntries(rows.map((row) => [row.status, row.count]))
}

const tally = async () => {
  const { rows } = await sql<{ counted: number; passing: number; failing: number; stale: number }>`
    select sum(counted)::int as counted, sum(passing)::int as passing, sum(failing)::int as failing,
      sum(stale)::int as stale from check_tallies`.execute(database.db)
  return rows[0]
}

/** Happenings that abort, or fail, at the batch of this number. */
const until = (batch: number, happen: () => void) => {
  let batches = 0
  return () => {
    batches += 1
    if (batches === batch) happen()
    return contextAt(minute(1))
  }
}

test('a check that begins to block blocks the devices that fail it', async () => {
  const check = await failingFleet(3)
  await configure(check, { remediation_strategy: 'block_immediately' })
  assert.deepEqual(await states(), { good: 3 })
  await recompute(check)
  assert.deepEqual(await states(), { blocked: 3 })
  assert.deepEqual(await progress(), [
    { scope: 'open_issues', last_device_id: '3', settled_devices: 3, finished_at: minute(1) },
  ])
})

test('what is finished is not done again', async () => {
  const check = await failingFleet(3)
  await configure(check, { remediation_strategy: 'block_immediately' })
  await recompute(check)
  const versions = await rowVersions(database.db)
  await recompute(check)
  assert.deepEqual(await rowVersions(database.db), versions)
})

test('a check that was never changed has nothing to do', async () => {
  const check = await failingFleet(1)
  await recompute(check)
  assert.deepEqual(await progress(), [])
})

test('devices that a check comes to target are pending, and those it leaves lose their result and issues', async () => {
  const check = await failingFleet(2)
  const group = await make.deviceGroup(organizationId)
  const windows = await make.device(organizationId, { device_type: 'Windows', groupIds: [group.id] })
  await configure(check, { targeted_groups: [group.id] })
  await recompute(check)
  assert.deepEqual(await statuses(), { pending: 1 })
  const open = await database.db.selectFrom('issues').select('id').where('resolved_at', 'is', null).execute()
  assert.deepEqual(open, [])
  const news = await database.db.selectFrom('events').select(['type', 'device_id']).orderBy('id').execute()
  assert.deepEqual(news, [
    { type: 'issues.resolved', device_id: '1' },
    { type: 'issues.resolved', device_id: '2' },
  ])
  await configure(check, { targeted_groups: [], excluded_groups: [group.id] }, minute(2))
  await recompute(check)
  assert.deepEqual(await statuses(), { pending: 2 })
  await make.result({ device: windows, check, rows: 'FAIL', at: minute(3) })
  assert.deepEqual(await statuses(), { pending: 2 }, 'a result of a device that is left out is refused')
})

test('other options make results stale, counted and with their issues, but not what has never run', async () => {
  const definitions = { level: { kind: 'integer', title: 'L', description: 'L', default: 1, min: 0, max: 9 } }
  const device = await make.device(organizationId)
  await make.device(organizationId)
  const check = await make.check(organizationId, { option_definitions: JSON.stringify(definitions) })
  await make.result({ device, check, rows: 'PASS', at: minute(0) })
  assert.deepEqual(await tally(), { counted: 2, passing: 1, failing: 0, stale: 0 })
  await configure(check, { options: { level: 2 } })
  await recompute(check)
  assert.deepEqual(await statuses(), { pending: 1, stale: 1 })
  assert.deepEqual(await tally(), { counted: 2, passing: 0, failing: 0, stale: 1 })
  await make.result({ device, check, rows: 'PASS', at: minute(2) })
  assert.deepEqual(await tally(), { counted: 2, passing: 1, failing: 0, stale: 0 })
})

test('it stops between batches when told to, and continues where it was', async () => {
  const check = await failingFleet(450)
  await configure(check, { remediation_strategy: 'block_immediately' })
  const stop = new AbortController()
  await recompute(
    check,
    until(2, () => stop.abort()),
    stop.signal,
  )
  assert.deepEqual(await states(), { blocked: 400, good: 50 })
  assert.deepEqual(await progress(), [
    { scope: 'open_issues', last_device_id: '400', settled_devices: 400, finished_at: null },
  ])
  await recompute(check)
  assert.deepEqual(await states(), { blocked: 450 })
  assert.deepEqual((await progress())[0]?.settled_devices, 450)
  const news = await database.db.selectFrom('events').select('device_id').execute()
  assert.equal(news.length, 450)
  assert.equal(new Set(news.map((one) => one.device_id)).size, 450)
})

test('a batch that fails leaves the batches before it, and its own place', async () => {
  const check = await failingFleet(450)
  await configure(check, { remediation_strategy: 'block_immediately' })
  const crash = until(3, () => {
    throw new Error('power failure')
  })
  await assert.rejects(recompute(check, crash), /power failure/)
  assert.deepEqual(await states(), { blocked: 400, good: 50 })
  await recompute(check)
  assert.deepEqual(await states(), { blocked: 450 })
})

test('a change that comes meanwhile starts it over under the new configuration', async () => {
  const check = await failingFleet(450)
  await configure(check, { remediation_strategy: 'block_immediately' })
  const stop = new AbortController()
  await recompute(
    check,
    until(1, () => stop.abort()),
    stop.signal,
  )
  await configure(check, { remediation_strategy: 'notify_only' }, minute(2))
  assert.deepEqual(await progress(), [
    { scope: 'open_issues', last_device_id: '0', settled_devices: 0, finished_at: null },
  ])
  await recompute(check)
  assert.deepEqual(await states(), { notified: 450 })
})

test('of two changes the wider scope wins until it is done', async () => {
  const check = await failingFleet(1)
  const scope = async () => (await progress())[0]?.scope
  await configure(check, { excluded_groups: ['windows'] }, minute(1))
  assert.equal(await scope(), 'all_devices')
  await configure(check, { remediation_strategy: 'notify_only' }, minute(2))
  assert.equal(await scope(), 'all_devices')
  await recompute(check)
  await configure(check, { remediation_strategy: 'report_only' }, minute(3))
  assert.equal(await scope(), 'open_issues')
  await configure(check, { excluded_groups: [] }, minute(4))
  assert.equal(await scope(), 'all_devices')
})

test('deleted devices and devices of other organizations are left alone', async () => {
  const check = await failingFleet(3)
  await sql`update devices set deleted_at = ${startOfTests}::timestamptz where id = 2`.execute(database.db)
  const other = await make.organization()
  await make.device(other.id)
  await make.check(other.id)
  const strangers = await database.db
    .selectFrom('check_results')
    .selectAll()
    .where('organization_id', '=', other.id)
    .execute()
  await configure(check, { remediation_strategy: 'block_immediately', excluded_groups: ['windows'] })
  await recompute(check)
  const stored = await database.db.selectFrom('devices').select(['id', 'auth_state']).orderBy('id').execute()
  assert.deepEqual(
    stored.map((row) => row.auth_state),
    ['blocked', 'good', 'blocked', 'good'],
  )
  assert.deepEqual(
    await database.db.selectFrom('check_results').selectAll().where('organization_id', '=', other.id).execute(),
    strangers,
  )
})

testOnPostgres('two that run at once do every device once', async () => {
  const check = await failingFleet(900)
  await configure(check, { remediation_strategy: 'block_immediately' })
  await Promise.all([recompute(check), recompute(check)])
  assert.deepEqual(await states(), { blocked: 900 })
  assert.equal((await progress())[0]?.settled_devices, 900)
  assert.equal((await database.db.selectFrom('events').select('id').execute()).length, 900)
})

test('thousands of devices are decided again in one go', async (t) => {
  const count = engine === 'postgres' ? 5_000 : 1_000
  const check = await failingFleet(count)
  const timed = async (what: string, request: CheckConfigurationRequest, at: string) => {
    await configure(check, request, at)
    const startedAt = performance.now()
    await recompute(check, () => contextAt(at))
    const elapsedMs = performance.now() - startedAt
    t.diagnostic(
      `${count} devices ${what}: ${Math.round(elapsedMs)} ms, ${Math.round((count / elapsedMs) * 1_000)} devices a second`,
    )
  }
  await timed('to block', { remediation_strategy: 'block_immediately' }, minute(1))
  assert.deepEqual(await states(), { blocked: count })
  await timed('to grant a week', { remediation_strategy: 'warn_then_block' }, minute(2))
  assert.deepEqual(await states(), { will_block: count })
  await timed('to leave the targets', { excluded_groups: ['macos'] }, minute(3))
  assert.deepEqual([await states(), await statuses()], [{ good: count }, {}])
  await timed('to target', { excluded_groups: [] }, minute(4))
  assert.deepEqual(await statuses(), { pending: count })
})
