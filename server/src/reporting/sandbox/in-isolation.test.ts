import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import type { Db } from '../../base/db/transact.ts'
import { tableNames } from '../queries/table-names.ts'
import { inIsolation, type Within } from './in-isolation.ts'
import { listOverdueSessions } from './overdue-sessions.ts'
import { QueryRefused } from './query-refused.ts'
import { runInSandbox } from './run-in-sandbox.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

const nothing = { tables: [], mentions: () => false }

async function run(text: string, organizationId = app.tenant.organizationId): Promise<unknown[]> {
  const query = { organizationId, sql: text, tables: tableNames }
  const report = await runInSandbox(app.database.connection, query)
  return (report?.rows ?? []).map(({ content }) => JSON.parse(content))
}

/** What the judge would refuse, in a session of the query 7. */
const isolated = <T>(work: (db: Db, within: Within) => Promise<T>): Promise<T> => {
  const { organizationId } = app.tenant
  return inIsolation(app.database.connection, { organizationId, queryId: '7', mentions: nothing }, work)
}

const endless = sql`select count(*) from generate_series(1, 1000000000000)`

test('a session that computes past its limit is ended, others are answered meanwhile, and the next query runs', async () => {
  await make.person(app.tenant.organizationId, { name: 'Ada' })
  let isOver = false
  const began = Promise.withResolvers<void>()
  const runaway = isolated((db, within) => {
    began.resolve()
    return within(1_500, endless.execute(db))
  }).finally(() => {
    isOver = true
  })
  runaway.catch(() => {})
  await began.promise
  assert.equal((await app.ask('GET', '/livez')).status, 200)
  assert.equal((await app.ask('GET', '/whoami')).status, 200)
  assert.equal(isOver, false, 'both were answered while it computed')
  await assert.rejects(runaway, { name: 'QueryRefused', message: 'The query took too long.', isPassing: true })
  assert.deepEqual(await run('select person_name from person_people'), [{ person_name: 'Ada' }])
})

test('an error of the query leaves its session, and is its own', async () => {
  await assert.rejects(
    isolated((db, within) => within(60_000, sql`select 1 / 0`.execute(db))),
    { code: '22012' },
  )
  assert.deepEqual(await run('select 1 as one'), [{ one: 1 }])
})

testOnPostgres('a process that does not end is named, and the queue continues without it', async () => {
  const { db } = app.database.connection
  // Without an interrupt check inside: neither a time limit nor an end reaches it before it is done.
  const deaf = sql`select length(translate(replace(lpad('', 600, 'a'), 'a', lpad('', 1000, 'b')),
    lpad('', 1000, 'x'), lpad('', 1000, 'y')))`
  const refusal = await isolated((own, within) => within(500, deaf.execute(own))).catch((error: unknown) => error)
  assert.ok(refusal instanceof QueryRefused)
  assert.equal(refusal.isPassing, !refusal.message.includes('has not ended it yet'))
  const left = await listOverdueSessions(db, 0)
  if (left.length > 0) {
    assert.match(refusal.message, /has not ended it yet: `muster doctor` names its process/)
    assert.deepEqual(
      left.map(({ organizationId, queryId }) => [organizationId, queryId]),
      [[app.tenant.organizationId, '7']],
    )
    assert.deepEqual(await listOverdueSessions(db, 3_600), [])
  }
  assert.deepEqual(await run('select 1 as one'), [{ one: 1 }])
  await until(300_000, async () => (await listOverdueSessions(db, 0)).length === 0)
})

testOnPostgres('a session is gone with its query', async () => {
  await run('select 1 as one')
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name like 'muster report%'
      and state <> 'idle'`.execute(app.database.connection.db)
  assert.deepEqual(rows, [])
})
