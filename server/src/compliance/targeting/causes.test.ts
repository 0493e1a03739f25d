import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { CheckConfigurationRequest } from '@muster/contract/check-configurations.ts'
import { sql } from 'kysely'
import { pino } from 'pino'
import { testDatabase } from '../../../test/support/database.ts'
import { letBlocksThrough } from '../../../test/support/let-blocks-through.ts'
import { type MadeCheck, makeIn, startOfTests } from '../../../test/support/make.ts'
import { newChange, systemActorAt } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { causedJob } from '../../base/jobs/caused-job.ts'
import type { JobData } from '../../base/jobs/job-data.ts'
import { plusMs } from '../../base/time.ts'
import { updateConfiguration } from '../../checks/configuration/update-configuration.ts'
import { recomputeCheck } from './recompute-check.ts'

const database = testDatabase()
const make = makeIn(database)
const minute = (count: number) => plusMs(startOfTests, count * 60_000)
const never = new AbortController().signal

let organizationId: string
beforeEach(async () => {
  await database.ready
  await database.reset()
  organizationId = (await make.organization()).id
})

/** Registered Macs that fail a check. */
async function failingFleet(count: number): Promise<MadeCheck> {
  const owner = await make.person(organizationId)
  await sql`
    insert into devices (organization_id, name, device_type, form_factor, registered_owner_id, registered_at, created_at)
    select ${organizationId}::bigint, 'Mac ' || number, 'Mac', 'computer', ${owner.id}::bigint, ${startOfTests}::timestamptz,
      ${startOfTests}::timestamptz
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

async function save(check: MadeCheck, request: CheckConfigurationRequest, requestId: string, now: string) {
  const change = newChange(systemActorAt(sourceOfRequest(requestId)), organizationId, now)
  await transact(database.db, (tx) => updateConfiguration(tx, { checkId: check.id, request }, change))
  return change.cause
}

const sourceOfRequest = (requestId: string) => ({ cause: `cause of ${requestId}`, requestId, ipAddress: '192.0.2.1' })

/** Works through the job that waits, as a worker does; returns what the log says of it. */
async function work(change: (data: object) => object = (data) => data) {
  const { rows } = await sql<{ id: string; data: JobData['recompute-check'] }>`
    delete from pgboss.job where name = 'recompute-check' returning id, data`.execute(database.db)
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const parts = { name: 'recompute-check', initiator: 'admin', clock: () => minute(3), log } as const
  const handler = causedJob(parts, (one, context, signal) => recomputeCheck(database.db, one, context, signal))
  for (const { id, data } of rows) await handler({ id, data: change(data) as typeof data }, never)
  assert.equal(rows.length, 1, 'of two saves one job waits')
  return { id: rows[0]?.id ?? '', lines }
}

/** Each cause that a kind of record has, with how many. */
async function causesOf(query: ReturnType<typeof sql<{ cause: string; count: number }>>) {
  const { rows } = await query.execute(database.db)
  return Object.fromEntries(rows.map(({ cause, count }) => [cause, count]))
}

const ofEvents = () =>
  causesOf(sql`select cause, count(*)::int as count from events where type = 'device_trust.status_changed' group by 1`)
const ofMessages = () =>
  causesOf(sql`select body::jsonb ->> 'cause' as cause, count(*)::int as count from webhook_messages
    where event = 'device_trust.status_changed' group by 1`)
const ofTokens = () =>
  causesOf(sql`select signal.txn as cause, count(*)::int as count from ssf_signals as signal
    join ssf_stream_events as event on event.signal_id = signal.id group by 1`)
const ofEntries = () =>
  causesOf(sql`select cause || ' by ' || coalesce(request_id, 'none') as cause, count(*)::int as count from audit_logs
    where action = 'check.configured' group by 1`)

test('one save that blocks 450 devices in three batches has one cause everywhere', async () => {
  const check = await failingFleet(450)
  await make.stream(organizationId)
  await make.webhookEndpoint(organizationId)
  const cause = await save(check, { remediation_strategy: 'block_immediately' }, 'req-1', minute(1))
  const { lines } = await work()
  assert.deepEqual(
    [await ofEvents(), await ofMessages(), await ofTokens(), await ofEntries()],
    [{ [cause]: 450 }, { [cause]: 450 }, { [cause]: 450 }, { [`${cause} by req-1`]: 1 }],
  )
  const [{ duration_ms: _, ...line } = {}, ...more] = lines
  assert.deepEqual(
    [line, more],
    [
      {
        ...{ level: 30, job: 'recompute-check', cause, request_id: 'req-1', msg: 'job' },
        ...{ organization_id: organizationId, check_id: check.id },
      },
      [],
    ],
  )
})

test('of two saves before the job runs both causes are kept', async () => {
  const check = await failingFleet(3)
  const first = await save(check, { remediation_strategy: 'block_immediately' }, 'req-1', minute(1))
  const second = await save(check, { block_auth_grace_period_days: 1 }, 'req-2', minute(2))
  const { lines } = await work()
  assert.deepEqual(await ofEvents(), { [second]: 3 })
  const earlier = sql<string[]>`data #> '{decidedFor,earlierCauses}'`.as('earlier')
  const events = await database.db.selectFrom('events').select(earlier).distinct().execute()
  assert.deepEqual(events, [{ earlier: [first] }])
  assert.deepEqual([lines[0]?.['cause'], lines[0]?.['other_causes']], [first, [second]])
  // What is worked through is no part of what comes next.
  const third = await save(check, { remediation_strategy: 'report_only' }, 'req-3', minute(4))
  await work()
  const released = await database.db.selectFrom('events').select(earlier).where('cause', '=', third).execute()
  assert.deepEqual(released, [{ earlier: null }, { earlier: null }, { earlier: null }])
})

test('more saves than are kept before the job runs leave the latest', async () => {
  const check = await failingFleet(1)
  for (let days = 1; days <= 30; days += 1) {
    const request = { remediation_strategy: 'warn_then_block', block_auth_grace_period_days: days } as const
    await save(check, request, `req-${days}`, minute(1))
  }
  const row = await database.db
    .selectFrom('check_recomputations')
    .select(['cause', 'earlier_causes'])
    .executeTakeFirstOrThrow()
  const kept = Array.from({ length: 20 }, (_, index) => `cause of req-${index + 10}`)
  assert.deepEqual(row, { cause: 'cause of req-30', earlier_causes: kept })
})

test('a job that was queued before causes were kept has its own id as one, and the log says so', async () => {
  const check = await failingFleet(450)
  await save(check, { remediation_strategy: 'block_immediately' }, 'req-1', minute(1))
  await sql`update check_recomputations set cause = null, request_id = null`.execute(database.db)
  const { id, lines } = await work(({ organizationId: of, checkId }: Partial<JobData['recompute-check']>) => ({
    organizationId: of,
    checkId,
  }))
  assert.deepEqual(await ofEvents(), { [id]: 450 })
  assert.deepEqual(
    lines.map(({ level, msg, cause }) => [level, msg, cause]),
    [
      [40, 'Muster does not know which change caused this job', id],
      [30, 'job', id],
    ],
  )
})
