import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testMigrations } from '../../src/base/db/test-schema.ts'
import { transact } from '../../src/base/db/transact.ts'
import { queueJob } from '../../src/base/jobs/queue-job.ts'
import { testDatabase, testOnPostgres } from './database.ts'

const database = testDatabase(testMigrations)
const count = async (table: string) =>
  (await sql<{ count: string }>`select count(*) from ${sql.raw(table)}`.execute(database.db)).rows[0]?.count

test('a reset leaves the tables empty, the queue too, and identities at their start', async () => {
  await database.connection.executeScript(`
    create table "Parts" (id bigint generated always as identity primary key, entry bigint not null references entries);
    create function refuse() returns trigger language plpgsql as $$ begin raise 'append only'; end $$;
    create trigger keep before delete on "Parts" for each row execute function refuse()`)
  for (let round = 0; round < 2; round += 1) {
    await transact(database.db, async (tx) => {
      const { rows } = await sql<{ id: string }>`insert into entries (name) values ('whole') returning id`.execute(tx)
      assert.deepEqual(rows, [{ id: '1' }])
      await sql`insert into "Parts" (entry) values (1), (1)`.execute(tx)
      await queueJob(tx, 'verify-audit-log', { organizationId: '1' })
    })
    await database.reset()
    assert.deepEqual([await count('entries'), await count('"Parts"'), await count('pgboss.job')], ['0', '0', '0'])
  }
  assert.equal(await count('schema_migrations'), '1')
})

testOnPostgres('a reset waits for what others are still writing', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const writing = transact(database.db, async (tx) => {
    await sql`insert into entries (name) values ('late')`.execute(tx)
    begin()
    await sql`select pg_sleep(0.2)`.execute(tx)
    await sql`insert into entries (name) values ('later')`.execute(tx)
  })
  await begun
  await Promise.all([writing, database.reset()])
  assert.equal(await count('entries'), '0')
})
