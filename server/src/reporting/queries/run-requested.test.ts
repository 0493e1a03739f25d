import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { transact } from '../../base/db/transact.ts'
import { requestRun } from './request-run.ts'
import { runRequested } from './run-requested.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

const never = new AbortController().signal
const work = () => runRequested(app.database.connection, () => startOfTests, never)

async function request(organizationId: string, text: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    const { id } = await make.reportingQuery(organizationId, { sql: text })
    await transact(app.db, (tx) => requestRun(tx, organizationId, id))
    ids.push(id)
  }
  return ids
}

async function inOrderOfRuns(): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id::text as id from reporting_queries where run_claimed_at is not null order by run_claimed_at`.execute(
    app.db,
  )
  return rows.map(({ id }) => id)
}

const waiting = async () =>
  (await app.db.selectFrom('reporting_queries').select('id').where('run_requested_at', 'is not', null).execute()).length

test('organizations take turns, however many queries one of them has asked for first', async () => {
  const [beta, gamma] = [await app.addTenant('Beta'), await app.addTenant('Gamma')]
  const first = await request(app.tenant.organizationId, 'select 1 as one', 4)
  const second = await request(beta.organizationId, 'select 2 as two', 2)
  const third = await request(gamma.organizationId, 'select 3 as three', 1)
  await work()
  const order = [first[0], second[0], third[0], first[1], second[1], first[2], first[3]]
  assert.deepEqual(await inOrderOfRuns(), order)
  assert.equal(await waiting(), 0)
})

test('an organization has one run at a time, and what it asked for waits', async () => {
  const beta = await app.addTenant('Beta')
  const [slow, next] = await request(app.tenant.organizationId, 'select 1 as one', 2)
  const [other] = await request(beta.organizationId, 'select 2 as two', 1)
  await sql`update reporting_queries set run_requested_at = null, run_claimed_at = clock_timestamp(),
    run_claimed_until = clock_timestamp() + interval '1 hour' where id = ${slow}::bigint`.execute(app.db)
  await work()
  assert.deepEqual(await inOrderOfRuns(), [slow, other])
  assert.equal(await waiting(), 1)
  // The process that had the turn is gone.
  await sql`update reporting_queries set run_claimed_until = clock_timestamp() - interval '1 second'
    where id = ${slow}::bigint`.execute(app.db)
  await work()
  assert.deepEqual(await inOrderOfRuns(), [slow, other, next])
})

test('a query that is asked for while it runs will run again', async () => {
  const { organizationId } = app.tenant
  const [id = ''] = await request(organizationId, 'select 1 as one', 1)
  let asked = false
  const clock = () => {
    // The first look at the clock is within the run.
    if (!asked) void transact(app.db, (tx) => requestRun(tx, organizationId, id))
    asked = true
    return startOfTests
  }
  await runRequested(app.database.connection, clock, never)
  assert.ok(asked)
  assert.equal(await waiting(), 0)
  const { last_run_id } = await app.db.selectFrom('reporting_queries').select('last_run_id').executeTakeFirstOrThrow()
  assert.equal(last_run_id, '2')
})

testOnPostgres('two that work at once never run two queries of one organization', async () => {
  const beta = await app.addTenant('Beta')
  await request(
    app.tenant.organizationId,
    'select count(*) as n from generate_series(1, 900) a, generate_series(1, 900) b',
    3,
  )
  await request(beta.organizationId, 'select 2 as two', 3)
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await sql<{ most: number }>`
        select coalesce(max(n), 0)::int as most from (select count(*) as n from reporting_queries
          where run_claimed_until > clock_timestamp() group by organization_id) as turns`.execute(app.db)
      most = Math.max(most, rows[0]?.most ?? 0)
    }
  })()
  await Promise.all([work(), work()])
  isOver = true
  await watching
  assert.equal(most, 1)
  assert.equal(await waiting(), 0)
})
