import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { transact } from '../../src/base/db/transact.ts'
import { packRows } from '../../src/reporting/queries/packed-rows.ts'
import { firstResults, listResults } from '../../src/reporting/queries/queries.ts'
import { storeRun } from '../../src/reporting/queries/store-run.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('reporting_runs'))
const now = '2026-11-20T10:00:00.000Z'

const rowsOf = (run: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: String(at), run, name: `Zoë’s ${'🙂'.repeat(at % 3)}\n` }))

test('an upgrade keeps the rows of both runs, in their order, and cursors into them', async () => {
  await old.ready
  const { db } = old
  await sql`insert into organizations (name, created_at) values ('Halden', ${now}), ('Other', ${now})`.execute(db)
  // Ran twice; ran without rows; never ran; another organization's.
  for (const [organization, id, run] of [
    [1, 1, 2],
    [1, 2, 1],
    [1, 3, null],
    [2, 1, 1],
  ]) {
    await sql`insert into reporting_queries (organization_id, id, name, sql, created_at, next_run_at, last_run_id, run_id)
      values (${organization}, ${id}, 'Report', 'select 1', ${now}, ${now}, coalesce(${run}::bigint, 0), ${run})`.execute(
      db,
    )
  }
  const kept = [
    { organization: 1, run: 1, rows: rowsOf(1, 60) },
    { organization: 1, run: 2, rows: rowsOf(2, 51) },
    { organization: 2, run: 1, rows: rowsOf(3, 25) },
  ]
  for (const { organization, run, rows } of kept) {
    // Written backwards: it is the positions that count.
    for (const [at, row] of [...rows.entries()].toReversed()) {
      await sql`insert into reporting_query_results (organization_id, query_id, run_id, position, content, total_bytes)
        values (${organization}, 1, ${run}, ${at + 1}, ${JSON.stringify(row)}::json, 0)`.execute(db)
    }
  }
  await migrate(old.connection)

  const list = (organizationId: string, queryId: string, after: string | undefined) =>
    listResults(db, {
      ...{ organizationId, params: { queryId }, after, limit: 500 },
      ...{ search: undefined, order: 'ascending', now },
    }).then((rows) => rows.map(({ content }) => content))
  assert.deepEqual(await list('1', '1', undefined), rowsOf(2, 51))
  assert.deepEqual(await list('1', '1', '1/30'), rowsOf(1, 60).slice(30))
  assert.deepEqual(await list('2', '1', undefined), rowsOf(3, 25))
  assert.deepEqual(await list('1', '2', undefined), [])
  assert.deepEqual(await list('1', '3', undefined), [])
  const first = await firstResults(db, '1', [{ id: '1', run_id: '2' }], 1_000_000)
  assert.deepEqual(first.get('1'), rowsOf(2, 51))

  // As a run writes them: the next one with the same rows finds them there.
  const rows = rowsOf(2, 51)
    .map((row) => JSON.stringify(row))
    .map((content) => ({ content, bytes: Buffer.byteLength(content) }))
  const { rowCount, sliceEnds, digest } = packRows(rows)
  const stored = await db
    .selectFrom('reporting_query_runs')
    .select(['row_count', 'slice_ends', 'digest', 'content'])
    .where('organization_id', '=', '1')
    .where('run_id', '=', '2')
    .executeTakeFirstOrThrow()
  assert.deepEqual([stored.row_count, stored.slice_ends, stored.digest], [rowCount, sliceEnds, digest])
  assert.deepEqual(createHash('sha256').update(stored.content).digest(), digest)
  const outcome = { columns: ['id', 'run', 'name'], rows, isTruncated: false }
  const run = { organizationId: '1', queryId: '1', revision: '1', outcome, startedAt: now }
  assert.equal(await transact(db, (tx) => storeRun(tx, run)), 'stored')
  assert.deepEqual(await list('1', '1', '1/59'), rowsOf(1, 60).slice(59))
})
