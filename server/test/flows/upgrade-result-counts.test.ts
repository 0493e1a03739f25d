import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/base/db/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('results_counted_apart'))

test('an upgrade counts results apart, without those of deleted devices, and knows nothing of days that are over', async () => {
  await old.ready
  const { db } = old
  const now = '2026-11-20T10:00:00.000Z'
  await sql`insert into organizations (name, created_at) values ('Halden', ${now})`.execute(db)
  await sql`insert into checks (organization_id, slug, name, type, description, sql_template, issue_title,
    fix_instructions_template, rationale_template, is_provided, platforms, created_at)
    values (1, 'keys', 'Keys', 'osquery', '', 'select 1', 'Keys', '', '', true, '{}', ${now})`.execute(db)
  // The eighth one is deleted, and 33 shares the shard of the first.
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8, 33]) {
    await sql`insert into devices (organization_id, id, name, device_type, form_factor, created_at, deleted_at)
      values (1, ${id}, 'Mac', 'Mac', 'computer', ${now}, ${id === 8 ? now : null})`.execute(db)
  }
  const statuses = [
    'passing',
    'failing',
    'errored',
    'unknown',
    'stale',
    'pending',
    'inapplicable',
    'failing',
    'failing',
  ]
  for (const [index, status] of statuses.entries()) {
    await sql`insert into check_results (organization_id, device_id, check_id, status)
      values (1, ${[1, 2, 3, 4, 5, 6, 7, 8, 33][index]}, 1, ${status})`.execute(db)
  }
  await sql`insert into check_tallies (organization_id, check_id, shard, counted, passing)
    values (1, 1, 1, 2, 1), (1, 1, 2, 1, 0), (1, 1, 3, 1, 0), (1, 1, 4, 1, 0), (1, 1, 5, 1, 0), (1, 1, 6, 1, 0)`.execute(
    db,
  )
  await sql`insert into check_days (organization_id, check_id, day, counted, passing)
    values (1, 1, '2026-11-19', 7, 1)`.execute(db)
  await migrate(old.connection)
  const tallies = await db.selectFrom('check_tallies').selectAll().orderBy('shard').execute()
  assert.deepEqual(
    tallies.map((row) => [row.shard, row.passing, row.failing, row.errored, row.unknown, row.stale, row.pending]),
    [
      [1, 1, 1, 0, 0, 0, 0],
      [2, 0, 1, 0, 0, 0, 0],
      [3, 0, 0, 1, 0, 0, 0],
      [4, 0, 0, 0, 1, 0, 0],
      [5, 0, 0, 0, 0, 1, 0],
      [6, 0, 0, 0, 0, 0, 1],
    ],
  )
  const days = await db.selectFrom('check_days').select(['counted', 'failing']).execute()
  assert.deepEqual(days, [{ counted: 7, failing: null }])
})
