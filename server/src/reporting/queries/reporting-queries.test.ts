import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { apiVersions } from '@muster/contract/versions.ts'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { testOnPostgres } from '../../../test/support/database.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { until } from '../../../test/support/muster-process.ts'
import { systemChange } from '../../base/change-context.ts'
import { transact } from '../../base/db/transact.ts'
import { ServiceError } from '../../base/errors.ts'
import { createLogger } from '../../base/logging.ts'
import { setFeature } from '../../inventory/organizations/set-feature.ts'
import { startWorker } from '../../worker.ts'
import { QueryRefused } from '../sandbox/query-refused.ts'
import { createQuery } from './create-query.ts'
import { deleteQuery } from './delete-query.ts'
import { editQuery } from './edit-query.ts'
import { queueDueRuns } from './queue-due-runs.ts'
import { runQuery } from './run-query.ts'
import { storeRun } from './store-run.ts'

const app = testApp()
const make = makeIn(app)
const lastPage = (count: number) => ({ next: '', current_cursor: '', next_cursor: '', count })
const clock = () => startOfTests
const passing = new QueryRefused('The query took too long.', { isPassing: true })

beforeEach(() => app.reset())

const by = () => systemChange(app.tenant.organizationId, startOfTests)
const create = (text: string, name = 'People') =>
  transact(app.db, (tx) => createQuery(tx, { name, sql: text, interval: 86_400 }, by()))
const edit = (id: string, changes: { name?: string; sql?: string; interval?: number }) =>
  transact(app.db, (tx) => editQuery(tx, { id, ...changes }, by()))
const run = (queryId: string) =>
  runQuery(app.database.connection, { organizationId: app.tenant.organizationId, queryId }, clock)
const read = async (path: string) => {
  const { status, body } = await app.ask('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const waitingJobs = async (): Promise<unknown[]> => {
  const { rows } = await sql<{ data: unknown }>`
    select data from pgboss.job where name = 'run-reporting-query' and state = 'created' order by created_on`.execute(
    app.db,
  )
  return rows.map(({ data }) => data)
}
const lastAudit = async () => (await read('/audit_logs?per_page=1')).data[0].description
const storedRows = async () =>
  Number(
    (
      await app.db
        .selectFrom('reporting_query_runs')
        .select(({ fn }) => fn.sum<string>('row_count').as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

for (const version of apiVersions) {
  const headers = { 'x-service-api-version': version }

  test(`listReportingQueries, getReportingQuery and listReportingQueryResults agree in version ${version}`, async () => {
    const { organizationId, readOnlyKey: key } = app.tenant
    const rows = [
      { device_id: '7', name: 'Ada', nested: { list: [1, null] } },
      { device_id: '8', name: null, nested: 2.5 },
    ]
    const ran = await make.reportingQuery(organizationId, { name: 'Ran', sql: 'select 1', rows })
    const fresh = await make.reportingQuery(organizationId, { name: 'Fresh', error_message: 'The query failed: x.' })
    const records = [
      {
        id: ran.id,
        name: 'Ran',
        osquery_sql: 'select 1',
        result_count: 2,
        results_truncated: false,
        results_updated_at: startOfTests,
        error_message: null,
        created_at: startOfTests,
      },
      {
        id: fresh.id,
        name: 'Fresh',
        osquery_sql: 'select 1 as one',
        result_count: 0,
        results_truncated: false,
        results_updated_at: null,
        error_message: 'The query failed: x.',
        created_at: startOfTests,
      },
    ]
    const [first, second] = records
    const answers: [path: string, body: unknown][] = [
      [
        '/reporting/queries',
        {
          data: [
            { ...first, results: rows },
            { ...second, results: [] },
          ],
          pagination: lastPage(2),
        },
      ],
      ['/reporting/queries?omit_results=1', { data: records, pagination: lastPage(2) }],
      ['/reporting/queries/?omit_results=true', { data: records, pagination: lastPage(2) }],
      [`/reporting/queries/${ran.id}`, { ...first, results: rows }],
      [`/reporting/queries/${ran.id}?omit_results=false`, { ...first, results: rows }],
      [`/reporting/queries/${ran.id}?omit_results=1`, first],
      [`/reporting/queries/${ran.id}?omit_results=true`, first],
      [`/reporting/queries/${ran.id}/results`, { data: rows, pagination: lastPage(2) }],
      [`/reporting/queries/${fresh.id}/results`, { data: [], pagination: lastPage(0) }],
    ]
    for (const [path, body] of answers) {
      const answer = await app.ask('GET', path, { headers, key })
      assert.deepEqual([path, answer.status, answer.body], [path, 200, body])
    }
  })
}

test('without the feature Reporting every call is refused', async () => {
  const { id } = await make.reportingQuery(app.tenant.organizationId, { rows: [{ a: 1 }] })
  await transact(app.db, (tx) => setFeature(tx, { feature: 'reporting', isOn: false }, by()))
  for (const path of ['/reporting/queries', `/reporting/queries/${id}`, `/reporting/queries/${id}/results`]) {
    assert.equal((await app.ask('GET', path)).status, 401, path)
  }
})

test('a list without results does not read them, and the next page is told the same', async () => {
  const { organizationId } = app.tenant
  await make.reportingQuery(organizationId, { rows: [{ a: 1 }] })
  await make.reportingQuery(organizationId, { rows: [{ a: 2 }] })
  await app.db.schema.alterTable('reporting_query_runs').renameTo('hidden').execute()
  try {
    const page = await read('/reporting/queries?omit_results=1&per_page=1')
    assert.match(page.pagination.next, /&omit_results=1$/)
    const { pathname, search } = new URL(page.pagination.next)
    assert.equal((await read(`${pathname}${search}`)).data.length, 1)
  } finally {
    await app.db.schema.alterTable('hidden').renameTo('reporting_query_runs').execute()
  }
})

test('a record has the first thousand rows, the results have all, and no answer exceeds 2 MB', async () => {
  const { organizationId } = app.tenant
  const narrow = await make.reportingQuery(organizationId, {
    rows: Array.from({ length: 1_100 }, (_, at) => ({ at })),
  })
  const wide = await make.reportingQuery(organizationId, {
    rows: Array.from({ length: 300 }, (_, at) => ({ at, text: 'x'.repeat(15_900) })),
  })
  const one = await read(`/reporting/queries/${narrow.id}`)
  assert.deepEqual([one.result_count, one.results.length, one.results.at(-1)], [1_100, 1_000, { at: 999 }])
  const large = await app.ask('GET', `/reporting/queries/${wide.id}`)
  assert.ok(large.body.results.length > 100)
  assert.ok(Buffer.byteLength(JSON.stringify(large.body)) < 2_000_000)
  for (let made = 0; made < 20; made += 1) {
    await make.reportingQuery(organizationId, { rows: large.body.results.slice(0, 20) })
  }
  const all = await read('/reporting/queries?per_page=100')
  assert.ok(Buffer.byteLength(JSON.stringify(all)) < 2_000_000)
  assert.ok(all.data.every((query: { results: unknown[] }) => query.results.length > 0))
  const page = await read(`/reporting/queries/${wide.id}/results?per_page=100`)
  assert.equal(page.data.length, 100)
  assert.ok(Buffer.byteLength(JSON.stringify(page)) < 2_000_000)
})

test('pages of results continue in their run while the query runs again, and are refused once it is gone', async () => {
  const { organizationId } = app.tenant
  const person = await make.person(organizationId, { name: 'Old 1' })
  await make.person(organizationId, { name: 'Old 2' })
  const id = await create('select person_name from person_people order by person_id')
  assert.equal(await run(id), 'stored')
  const path = `/reporting/queries/${id}/results`
  const first = await read(`${path}?per_page=1`)
  assert.deepEqual(first.data, [{ person_name: 'Old 1' }])
  await app.db.updateTable('people').set({ name: 'New' }).where('id', '=', person.id).execute()
  await app.db.updateTable('people').set({ name: 'New' }).where('organization_id', '=', organizationId).execute()
  assert.equal(await run(id), 'stored')
  const next = `${path}?per_page=1&cursor=${first.pagination.next_cursor}`
  assert.deepEqual((await read(next)).data, [{ person_name: 'Old 2' }])
  assert.deepEqual((await read(path)).data, [{ person_name: 'New' }, { person_name: 'New' }])
  assert.equal(await storedRows(), 4)
  await app.db.updateTable('people').set({ name: 'Newer' }).where('id', '=', person.id).execute()
  assert.equal(await run(id), 'stored')
  const { status, body } = await app.ask('GET', next)
  assert.deepEqual(
    [status, body],
    [400, { error: 'bad_cursor', message: 'The query has run again since then. Start again without a cursor.' }],
  )
  assert.equal(await storedRows(), 4)
})

test('a run with the rows of the one before writes none of them, and a reader between two pages continues', async () => {
  const { organizationId } = app.tenant
  const { id, revision } = await make.reportingQuery(organizationId, { rows: [{ a: 1 }, { a: 2 }] })
  const path = `/reporting/queries/${id}/results?per_page=1`
  const { next_cursor: cursor } = (await read(path)).pagination
  const written = async () =>
    (
      await sql<{ by: string; run_id: string }>`select xmin::text as by, run_id from reporting_query_runs`.execute(
        app.db,
      )
    ).rows
  const before = await written()
  const rows = ['{"a":1}', '{"a":2}'].map((content) => ({ content, bytes: content.length }))
  const store = (startedAt: string, outcome: Parameters<typeof storeRun>[1]['outcome']) =>
    transact(app.db, (tx) => storeRun(tx, { organizationId, queryId: id, revision, outcome, startedAt }))
  for (const hour of ['11', '12', '13']) {
    const startedAt = `2026-11-20T${hour}:00:00.000Z`
    assert.equal(await store(startedAt, { columns: ['a'], rows, isTruncated: false }), 'stored')
    assert.equal((await read(`/reporting/queries/${id}`)).results_updated_at, startedAt)
  }
  assert.deepEqual(await written(), before)
  assert.deepEqual((await read(`${path}&cursor=${cursor}`)).data, [{ a: 2 }])
  await store(startOfTests, { columns: ['a'], rows: rows.toReversed(), isTruncated: false })
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [{ a: 2 }, { a: 1 }])
})

test('a query is made, runs, is changed and deleted, each once in the audit log', async () => {
  const { organizationId } = app.tenant
  await make.person(organizationId, { name: 'Ada' })
  const id = await create('select count(*) as people from person_people')
  assert.equal(await lastAudit(), 'Created the reporting query "People".')
  assert.deepEqual(await waitingJobs(), [{ organizationId, queryId: id }])
  assert.equal(await run(id), 'stored')
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [{ people: 1 }])

  const before = (await read('/audit_logs')).data.length
  await edit(id, { name: 'People', sql: 'select count(*) as people from person_people', interval: 86_400 })
  assert.equal((await read('/audit_logs')).data.length, before, 'what is as it was writes nothing')
  await edit(id, { name: 'Crowd', interval: 3_600 })
  assert.equal(
    await lastAudit(),
    'Changed the reporting query "People": its name from "People" to "Crowd", its interval from 86400 to 3600 seconds.',
  )
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [{ people: 1 }])
  await edit(id, { sql: 'select person_name from person_people' })
  assert.equal(await lastAudit(), 'Changed the reporting query "Crowd": its SQL.')
  const edited = await read(`/reporting/queries/${id}`)
  assert.deepEqual([edited.results, edited.results_updated_at, edited.result_count], [[], null, 0])
  assert.equal(await run(id), 'stored')
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [{ person_name: 'Ada' }])

  await transact(app.db, (tx) => deleteQuery(tx, { id }, by()))
  assert.equal(await lastAudit(), 'Deleted the reporting query "Crowd".')
  assert.equal(await storedRows(), 0)
  assert.equal(await run(id), 'gone')
  await assert.rejects(edit(id, { name: 'x' }), { code: 'not_found' })
  await assert.rejects(
    transact(app.db, (tx) => deleteQuery(tx, { id }, by())),
    { code: 'not_found' },
  )
})

test('SQL that may not run is refused before it is kept, and so is a blank name', async () => {
  const refusals: [name: string, text: string, field: string, message: RegExp][] = [
    ['Keys', 'select * from api_keys', 'sql', /There is no reporting table "api_keys"/],
    ['Nothing', '', 'sql', /empty/],
    [' ', 'select 1', 'name', /must have 1 to 200 characters/],
    ['x'.repeat(201), 'select 1', 'name', /must have 1 to 200 characters/],
  ]
  for (const [name, text, field, message] of refusals) {
    await assert.rejects(create(text, name), (error) => {
      assert.ok(error instanceof ServiceError)
      assert.deepEqual([error.code, error.errors?.[0]?.field], ['invalid', field])
      assert.match(error.errors?.[0]?.message ?? '', message)
      return true
    })
  }
  assert.deepEqual((await read('/reporting/queries')).data, [])
  const id = await create('select 1 as one')
  await assert.rejects(edit(id, { sql: 'select pg_sleep(1)' }), { code: 'invalid' })
  assert.equal((await read(`/reporting/queries/${id}`)).osquery_sql, 'select 1 as one')
})

test('a run that fails says why and leaves the rows of the one before; the next success clears it', async () => {
  const { organizationId } = app.tenant
  await make.person(organizationId, { name: '10' })
  const id = await create('select 100 / person_name::int as share from person_people')
  assert.equal(await run(id), 'stored')
  await app.db.updateTable('people').set({ name: '0' }).where('organization_id', '=', organizationId).execute()
  assert.equal(await run(id), 'failed')
  const failed = await read(`/reporting/queries/${id}`)
  assert.deepEqual([failed.error_message, failed.results], ['The query failed: division by zero.', [{ share: 10 }]])
  assert.equal(await nextRunOf(id), '2026-11-21T10:00:00.000Z')
  await app.db.updateTable('people').set({ name: '5' }).where('organization_id', '=', organizationId).execute()
  assert.equal(await run(id), 'stored')
  const mended = await read(`/reporting/queries/${id}`)
  assert.deepEqual([mended.error_message, mended.results], [null, [{ share: 20 }]])
})

const failAt = async (id: string, at: string, refusal: QueryRefused) => {
  const { organizationId } = app.tenant
  const due = await queueDueRuns(app.db, at)
  const run = { organizationId, queryId: id, revision: '1', outcome: refusal, startedAt: at }
  assert.equal(await transact(app.db, (tx) => storeRun(tx, run)), 'failed')
  return due
}
const nextRunOf = async (queryId: string) =>
  (
    await app.db
      .selectFrom('reporting_queries')
      .select('next_run_at')
      .where('id', '=', queryId)
      .executeTakeFirstOrThrow()
  ).next_run_at

test('a run that failed by a fault of the moment is tried again within minutes, then less and less, then by its schedule', async () => {
  const id = await create('select 1 as one')
  const waits: number[] = []
  let at = startOfTests
  await failAt(id, at, passing)
  for (let tries = 0; tries < 12; tries += 1) {
    const next = await nextRunOf(id)
    waits.push((Date.parse(next) - Date.parse(at)) / 60_000)
    assert.equal(await queueDueRuns(app.db, new Date(Date.parse(next) - 1).toISOString()), 0)
    at = next
    assert.equal(await failAt(id, at, passing), 1)
  }
  assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440, 1_440])
  assert.equal((await read(`/reporting/queries/${id}`)).error_message, 'The query took too long.')

  const soon = '2026-12-24T10:00:00.000Z'
  const recovered = { columns: ['one'], rows: [{ content: '{"one":1}', bytes: 9 }], isTruncated: false }
  const { organizationId } = app.tenant
  const success = { organizationId, queryId: id, revision: '1', outcome: recovered, startedAt: soon }
  const scheduled = await nextRunOf(id)
  assert.equal(await transact(app.db, (tx) => storeRun(tx, success)), 'stored')
  assert.equal(await nextRunOf(id), scheduled, 'a success leaves the schedule')
})

test('a fault of the query waits for its schedule, and so does what an hour of its own is sooner than', async () => {
  const id = await create('select 1 as one')
  await failAt(id, startOfTests, new QueryRefused('The query failed: division by zero.'))
  assert.equal(await nextRunOf(id), '2026-11-21T10:00:00.000Z')

  await edit(id, { interval: 3_600 })
  await failAt(id, '2026-11-20T10:40:00.000Z', passing)
  assert.equal(await nextRunOf(id), '2026-11-20T11:00:00.000Z')
})

test('due queries are queued once, for their next moment, and only where the feature is on', async () => {
  const { organizationId } = app.tenant
  const due = await make.reportingQuery(organizationId, { next_run_at: startOfTests, interval_seconds: 7_200 })
  await make.reportingQuery(organizationId, { next_run_at: '2026-11-20T10:00:00.001Z' })
  const without = await make.organization({ disabled_features: ['reporting'] })
  await make.reportingQuery(without.id, { next_run_at: startOfTests })
  assert.equal(await queueDueRuns(app.db, startOfTests), 1)
  assert.equal(await queueDueRuns(app.db, startOfTests), 0)
  assert.deepEqual(await waitingJobs(), [{ organizationId, queryId: due.id }])
  const { next_run_at } = await app.db
    .selectFrom('reporting_queries')
    .select('next_run_at')
    .where('id', '=', due.id)
    .executeTakeFirstOrThrow()
  assert.equal(next_run_at, '2026-11-20T12:00:00.000Z')
})

test('a run whose SQL was edited meanwhile is dropped, and the query is queued again', async () => {
  const { organizationId } = app.tenant
  const id = await create('select 1 as one')
  await edit(id, { sql: 'select 2 as two' })
  await sql`delete from pgboss.job`.execute(app.db)
  const outcome = { columns: ['one'], rows: [{ content: '{"one":1}', bytes: 9 }], isTruncated: false }
  const late = { organizationId, queryId: id, revision: '1', outcome, startedAt: startOfTests }
  assert.equal(await transact(app.db, (tx) => storeRun(tx, late)), 'edited')
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [])
  assert.deepEqual(await waitingJobs(), [{ organizationId, queryId: id }])
  assert.equal(await run(id), 'stored')
  assert.equal(await transact(app.db, (tx) => storeRun(tx, late)), 'edited')
  assert.deepEqual((await read(`/reporting/queries/${id}`)).results, [{ two: 2 }])
})

testOnPostgres('no query runs twice at once, and the turn is free after a run that fails', async () => {
  const { organizationId } = app.tenant
  const id = await create('select person_name from person_people')
  const holder = sql`select pg_advisory_xact_lock(hashtextextended(${`reporting query ${organizationId}/${id}`}, 0))`
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = transact(app.db, async (tx) => {
    await holder.execute(tx)
    held.resolve()
    await release.promise
  })
  await held.promise
  assert.equal(await run(id), 'running')
  release.resolve()
  await holding
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => run(id)))
  assert.ok(outcomes.includes('stored'))
  assert.ok(outcomes.every((outcome) => outcome === 'stored' || outcome === 'running'))
  await edit(id, { sql: 'select 1 / (select count(*) from person_people) as n' })
  assert.equal(await run(id), 'failed')
  assert.equal(await run(id), 'failed')
})

test('a run that dies while its rows are written leaves those of the one before', async () => {
  const { organizationId } = app.tenant
  const { id, revision } = await make.reportingQuery(organizationId, { rows: [{ a: 1 }, { a: 2 }] })
  const row = { content: '{"a":3}', bytes: 7 }
  const outcome = { columns: ['a'], rows: Array.from({ length: 1_500 }, () => row), isTruncated: false }
  const dying = transact(app.db, async (tx) => {
    await storeRun(tx, { organizationId, queryId: id, revision, outcome, startedAt: startOfTests })
    throw new Error('killed')
  })
  await assert.rejects(dying, /killed/)
  assert.deepEqual((await read(`/reporting/queries/${id}/results`)).data, [{ a: 1 }, { a: 2 }])
  assert.equal(await storedRows(), 2)
})

test('a worker runs what was created, and what is due', async () => {
  const { organizationId } = app.tenant
  const { config, database } = app
  const worker = await startWorker({
    config,
    connection: database.connection,
    clock: () => '2026-11-20T11:00:00.000Z',
    log: createLogger('silent'),
    streams: app.streams,
  })
  try {
    const id = await create('select 1 as one')
    const due = await make.reportingQuery(organizationId, { sql: 'select 2 as two', next_run_at: startOfTests })
    await queueDueRuns(app.db, '2026-11-20T11:00:00.000Z')
    await until(30_000, async () => (await read(`/reporting/queries/${due.id}`)).result_count === 1)
    await until(30_000, async () => (await read(`/reporting/queries/${id}`)).result_count === 1)
    const { results, results_updated_at } = await read(`/reporting/queries/${due.id}`)
    assert.deepEqual([results, results_updated_at], [[{ two: 2 }], '2026-11-20T11:00:00.000Z'])
  } finally {
    await worker.stop()
  }
})
