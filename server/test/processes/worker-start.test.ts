import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../support/database.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'

const database = testDatabase()

testOnPostgres('a worker that cannot begin ends, whatever of it had begun, so that it is started again', async (t) => {
  const place = openPostgresPlace(t, database)
  const { db } = database
  assert.equal((await place.run(['migrate'])).exit, 0)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`.execute(db)
  for (const table of ['pgboss.schedule', 'worker_heartbeats']) {
    const on = sql.table(table)
    await sql`create trigger refuse before insert or update on ${on} for each row execute function refuse()`.execute(db)
    const { exit, out, err } = await place.run(['worker'])
    assert.notEqual(exit, 0, table)
    assert.match(out + err, /Cannot start: .*refused/, table)
    await sql`drop trigger refuse on ${on}`.execute(db)
  }
})
