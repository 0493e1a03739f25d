import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { contextAt, type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { rowVersions } from '../../../test/support/row-versions.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { causedJob } from '../../base/jobs/caused-job.ts'
import type { JobData } from '../../base/jobs/job-data.ts'
import { createLogger } from '../../base/logging.ts'
import { plusMs } from '../../base/time.ts'
import { rememberRunTimes } from '../../compliance/results/run-times.ts'
import { recomputeCheck } from '../../compliance/targeting/recompute-check.ts'
import { resumeWork } from '../../compliance/targeting/resume-work.ts'
import { findCause } from '../../signals/audit/queries.ts'
import { updateConfiguration } from '../configuration/update-configuration.ts'
import { deleteCustomCheck } from './delete-custom-check.ts'
import { removeCheck } from './remove-check.ts'

const app = testApp()
const make = makeIn(app)
const missing = { error: 'not_found', message: 'There is no such record.' }
const never = new AbortController().signal
const minute = (count: number) => plusMs(startOfTests, count * 60_000)

beforeEach(async () => {
  await app.reset()
  app.setNow(startOfTests)
})

const ownCheck = () =>
  make.check(app.tenant.organizationId, {
    type: 'custom',
    is_provided: false,
    configuration: { remediation_strategy: 'block_immediately' },
  })
const owned = async () =>
  make.device(app.tenant.organizationId, {
    registered_owner_id: (await make.person(app.tenant.organizationId)).id,
  })
const ask = (checkId: string, now = minute(1)) =>
  transact(app.db, (tx) => deleteCustomCheck(tx, { checkId }, systemChange(app.tenant.organizationId, now)))
const remove = (checkId: string, signal = never, context = () => contextAt(minute(2))) =>
  removeCheck(app.db, { organizationId: app.tenant.organizationId, checkId }, context, signal)

const rowsAbout = async (check: MadeCheck): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const table of [
    'check_results',
    'check_configurations',
    'check_tallies',
    'check_refreshes',
    'issues',
  ] as const) {
    const rows = await app.db.selectFrom(table).select('check_id').where('check_id', '=', check.id).execute()
    if (rows.length > 0) counts[table] = rows.length
  }
  return counts
}

/** Macs that the check blocks. */
async function blockedFleet(count: number, check: MadeCheck): Promise<void> {
  const owner = await make.person(app.tenant.organizationId)
  await sql`
    insert into devices (organization_id, name, device_type, form_factor, registered_owner_id, registered_at, created_at)
    select ${check.organization_id}::bigint, 'Mac ' || number, 'Mac', 'computer', ${owner.id}::bigint, ${startOfTests}::timestamptz, ${startOfTests}::timestamptz
    from generate_series(1, ${count}) as number`.execute(app.db)
  await make.target(app.tenant.organizationId)
  await sql`
    insert into issues (organization_id, device_id, check_id, title, value, detected_at, last_rechecked_at, blocking_since, blocks_device_at)
    select organization_id, device_id, check_id, 'An issue', '{}', ${startOfTests}, ${startOfTests}, ${startOfTests}, ${startOfTests}
    from check_results`.execute(app.db)
  await sql`update devices set auth_state = 'blocked', signalled_status = 'not-compliant'`.execute(app.db)
}

test('a deleted check is gone at once, and its issues are resolved and its rows removed in the background', async () => {
  const [check, other] = [await ownCheck(), await make.check(app.tenant.organizationId)]
  const device = await owned()
  const issue = await make.issue({ device, check })
  await make.issue({ device, check: other })
  const runTimes = rememberRunTimes()
  for (const { id } of [check, other]) {
    runTimes.note(check.organization_id, device.id, [{ checkId: id, ranAt: startOfTests }])
  }
  await runTimes.flush(app.db)
  await app.ask('POST', `/devices/${device.id}/check_refreshes`, { body: { check_id: check.id } })
  await ask(check.id)
  const paths = [`/checks/${check.id}`, `/checks/${check.id}/configurations`, `/checks/${check.id}/results`]
  for (const path of paths) assert.deepEqual((await app.ask('GET', path)).body, missing, path)
  for (const [method, path, body] of [
    ['PATCH', `/checks/${check.id}/configurations`, { paused: false }],
    ['POST', `/checks/${check.id}/runs`, { device_id: device.id, check_data: {} }],
    ['POST', `/devices/${device.id}/check_refreshes`, { check_id: check.id }],
  ] as const) {
    assert.deepEqual((await app.ask(method, path, { body })).body, missing, path)
  }
  const results = async () => (await app.ask('GET', `/devices/${device.id}/check_results`)).body.data
  assert.deepEqual(
    (await results()).map((result: { check_id: string }) => result.check_id),
    [other.id],
  )
  assert.deepEqual(await make.result({ device, check, rows: 'PASS', at: minute(3) }), [])
  await remove(check.id)
  assert.deepEqual(await rowsAbout(check), {})
  assert.equal((await app.ask('GET', `/devices/${device.id}`)).body.auth_state, 'Good')
  const events = await app.db.selectFrom('events').select(['type', 'data']).orderBy('id').execute()
  assert.deepEqual(
    events.filter(({ type }) => type === 'issues.resolved').map(({ data }) => data),
    [{ title: issue.title, checkId: check.id, issueId: issue.id }],
  )
  assert.equal(events.at(-1)?.type, 'device_trust.status_changed')
  const runs = await app.db.selectFrom('device_check_runs').select(['check_ids', 'ran_at']).execute()
  assert.deepEqual(runs, [{ check_ids: [other.id], ran_at: [startOfTests] }])
  const { data } = (await app.ask('GET', '/audit_logs?per_page=1')).body
  assert.equal(data[0].description, `Deleted the check "${check.name}".`)
})

test('a draft outlives the check that was published from it, and can be published again', async () => {
  const check = await ownCheck()
  const of = { slug: check.slug, custom_check_id: check.id, published_at: startOfTests }
  const draft = await make.draft(app.tenant.organizationId, of)
  const state = async () => {
    const { body } = await app.ask('GET', `/custom_check_drafts/${draft.id}`)
    return [body.published, body.custom_check_id, body.publishable]
  }
  assert.deepEqual(await state(), [true, check.id, true])
  await ask(check.id)
  assert.deepEqual((await state()).slice(0, 2), [false, ''])
  await remove(check.id)
  assert.deepEqual(await state(), [false, '', true])
})

test('a check that comes with Muster, an unknown one and one of someone else cannot be deleted', async () => {
  const other = await app.addTenant()
  const foreign = await make.check(other.organizationId, { type: 'custom', is_provided: false })
  const provided = await make.check(app.tenant.organizationId)
  const versions = await rowVersions(app.db)
  await assert.rejects(ask(provided.id), { code: 'invalid', message: /comes with Muster/ })
  for (const id of [foreign.id, '987654321']) await assert.rejects(ask(id), { code: 'not_found' })
  await remove(provided.id)
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('what is deleted is not deleted again, before or after its rows are gone', async () => {
  const check = await ownCheck()
  await ask(check.id)
  await assert.rejects(ask(check.id), { code: 'not_found' })
  await remove(check.id)
  const versions = await rowVersions(app.db)
  await assert.rejects(ask(check.id), { code: 'not_found' })
  await remove(check.id)
  assert.deepEqual(await rowVersions(app.db), versions)
})

test('the removal stops between batches and continues where it stopped', async () => {
  const check = await ownCheck()
  await blockedFleet(450, check)
  await ask(check.id)
  const stopping = new AbortController()
  let batches = 0
  await remove(check.id, stopping.signal, () => {
    batches += 1
    if (batches === 2) stopping.abort()
    return contextAt(minute(2))
  })
  const blocked = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from devices where auth_state = 'blocked'`.execute(app.db)
    return rows[0]?.count
  }
  assert.deepEqual([batches, await blocked()], [2, 50])
  await remove(check.id)
  assert.equal(await blocked(), 0)
  assert.deepEqual(await rowsAbout(check), {})
  const resolved = await app.db.selectFrom('events').select('id').where('type', '=', 'issues.resolved').execute()
  assert.equal(resolved.length, 450)
})

test('a device that is deleted itself does not keep the check from going', async () => {
  const check = await ownCheck()
  const device = await owned()
  await make.issue({ device, check })
  await app.ask('DELETE', `/devices/${device.id}`)
  await ask(check.id)
  await remove(check.id)
  assert.deepEqual(await rowsAbout(check), {})
})

test('a recomputation that was under way does not target devices again', async () => {
  const check = await ownCheck()
  await blockedFleet(3, check)
  const { organization_id: organizationId, id: checkId } = check
  await transact(app.db, (tx) =>
    updateConfiguration(tx, { checkId, request: { excluded_groups: [] } }, systemChange(organizationId, minute(1))),
  )
  await transact(app.db, (tx) =>
    updateConfiguration(
      tx,
      { checkId, request: { options: {}, paused: true } },
      systemChange(organizationId, minute(1)),
    ),
  )
  await ask(check.id)
  await recomputeCheck(app.db, { organizationId, checkId }, () => contextAt(minute(2)), never)
  await make.device(check.organization_id)
  await remove(check.id)
  assert.deepEqual(await rowsAbout(check), {})
})

const deletionOf = (checkId: string) => ({ action: 'check.deleted', about: { check: checkId } }) as const

test('a removal without its job, as after an import, is queued again', async () => {
  const check = await ownCheck()
  await ask(check.id)
  const { rows: before } = await sql`select name, data from pgboss.job`.execute(app.db)
  await sql`delete from pgboss.job`.execute(app.db)
  await resumeWork(app.db)
  const { rows } = await sql`select name, data from pgboss.job`.execute(app.db)
  const { cause, requestId } = (await findCause(app.db, check.organization_id, deletionOf(check.id))) ?? {}
  assert.match(cause ?? '', /^[0-9a-f-]{36}$/)
  const data = { organizationId: check.organization_id, checkId: check.id, cause, requestId }
  assert.deepEqual([before, rows], [[{ name: 'remove-check', data }], [{ name: 'remove-check', data }]])
})

testOnPostgres('results that arrive while a check is deleted leave nothing behind', async () => {
  const check = await ownCheck()
  const devices = await Promise.all(Array.from({ length: 8 }, owned))
  await Promise.all([
    ...devices.map((device) => make.result({ device, check, rows: 'FAIL', at: minute(1) })),
    ask(check.id),
    ...devices.map(() => owned()),
  ])
  await Promise.all([remove(check.id), remove(check.id)])
  assert.deepEqual(await rowsAbout(check), {})
  const { body } = await app.ask('GET', '/devices?per_page=100')
  assert.ok(body.data.every(({ auth_state }: { auth_state: string }) => auth_state === 'Good'))
})

test('what the removal of a deleted check frees has the cause of the deletion, over all batches', async () => {
  const check = await ownCheck()
  await blockedFleet(450, check)
  await ask(check.id)
  const cause = await findCause(app.db, check.organization_id, deletionOf(check.id))
  const { rows } = await sql<{ id: string; data: JobData['remove-check'] }>`
    select id, data from pgboss.job where name = 'remove-check'`.execute(app.db)
  const [job] = rows
  assert.ok(job && cause)
  const parts = {
    name: 'remove-check',
    initiator: 'admin',
    clock: () => minute(2),
    log: createLogger('silent'),
  } as const
  await causedJob(parts, async (one, context, signal) => {
    await removeCheck(app.db, one, context, signal)
    return []
  })(job, never)
  const freed = app.db.selectFrom('events').where('type', '=', 'device_trust.status_changed')
  const counted = await freed
    .select(['cause', sql<number>`count(*)::int`.as('count')])
    .groupBy('cause')
    .execute()
  assert.deepEqual(counted, [{ cause: cause.cause, count: 450 }])
})
