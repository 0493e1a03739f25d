import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { testDatabase, testOnPostgres } from '../../test/support/database.ts'
import { watchDatabase } from './database-processor.ts'

const database = testDatabase()

testOnPostgres('the time of a session that has ended still counts', async (t) => {
  await database.ready
  const databaseMs = await watchDatabase(database.url)
  if (!databaseMs) return t.skip('the server is on another machine')
  const session = new pg.Client({ connectionString: database.url })
  await session.connect()
  const before = await databaseMs()
  const { rows } = await session.query('select pg_backend_pid() as pid, count(*) from generate_series(1, 2000000)')
  const open = await databaseMs()
  assert.ok(open > before)
  await session.end()
  const isThere = async () =>
    (await sql`select from pg_stat_activity where pid = ${rows[0].pid}`.execute(database.db)).rows.length > 0
  while (await isThere()) await pause(10)
  assert.ok((await databaseMs()) >= open)
})
