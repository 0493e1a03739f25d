import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../test/support/database.ts'
import { migrationsBefore } from '../test/support/migrations-before.ts'
import { type Connection, connectPostgres } from './base/db/connect.ts'
import { migrate } from './base/db/migrate.ts'
import { testMigrations } from './base/db/test-schema.ts'
import { transact } from './base/db/transact.ts'
import { upgradeDatabase } from './upgrade-database.ts'

const database = testDatabase(testMigrations)

/** A database of its own that nobody has migrated, gone after the test. */
async function emptyDatabase(t: TestContext, options = ''): Promise<string> {
  const name = `upgrade_${randomBytes(6).toString('hex')}`
  await database.connection.executeScript(`create database ${name} template template0 ${options}`)
  t.after(() => database.connection.executeScript(`drop database ${name} with (force)`))
  const url = new URL(database.url ?? '')
  url.pathname = `/${name}`
  return url.href
}

testOnPostgres('processes that start at once on a new database upgrade it once', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const url = await emptyDatabase(t)
    const connections = await Promise.all(Array.from({ length: 3 }, () => connectPostgres({ url, maxConnections: 2 })))
    const outcomes = await Promise.all(connections.map((connection) => upgradeDatabase(connection)))
    const applied = outcomes.filter((outcome) => outcome.applied.length > 0)
    assert.equal(applied.length, 1, 'one applied them all, the others none')
    const { rows } = await sql<{ found: boolean }>`
      select to_regclass('pgboss.job') is not null as found`.execute(connections[0]?.db ?? database.db)
    assert.deepEqual(rows, [{ found: true }])
    await Promise.all(connections.map((connection) => connection.close()))
  }
})

testOnPostgres('a database that cannot hold every character is refused', async (t) => {
  const url = await emptyDatabase(t, `encoding 'LATIN1' locale 'C'`)
  const connection = await connectPostgres({ url })
  await assert.rejects(
    upgradeDatabase(connection),
    /encoding of the database is LATIN1. Create the database with ENCODING 'UTF8'/,
  )
  await connection.close()
})

testOnPostgres('a user who may not create anything is told what to grant', async (t) => {
  const url = new URL(await emptyDatabase(t))
  const name = url.pathname.slice(1)
  const role = `guest_${randomBytes(6).toString('hex')}`
  await database.connection.executeScript(`create role ${role} login password 'guest'`)
  // Hooks run in the order of their registration, and the role owns what is in the database.
  t.after(() => database.connection.executeScript(`drop role ${role}`))
  const asAdministrator = await connectPostgres({ url: url.href, maxConnections: 1 })
  const connection = await connectPostgres({ url: Object.assign(url, { username: role, password: 'guest' }).href })
  const grants = [`grant create on database ${name} to ${role}`, `grant create on schema public to ${role}`] as const
  const remedy = `make the user the owner of the database (alter database ${name} owner to ${role}), or let it create there (${grants.join('; ')}). See "Connect to PostgreSQL" in docs/operating.md.`
  await assert.rejects(upgradeDatabase(connection), { message: `permission denied for schema public: ${remedy}` })
  await asAdministrator.executeScript(grants[1])
  await assert.rejects(upgradeDatabase(connection), {
    message: `Migration 0001_foundation.sql failed: permission denied to create extension "pg_trgm": ${remedy}`,
  })
  await asAdministrator.executeScript(grants[0])
  assert.ok((await upgradeDatabase(connection)).applied.length > 0)
  await connection.close()
  await asAdministrator.close()
})

/** The tables that somebody has had analyzed, other than autovacuum. */
const analyzed = async ({ executeScript }: Connection) =>
  (await executeScript('select relname::text as name from pg_stat_user_tables where last_analyze is not null')).map(
    ({ name }) => name,
  )

/** As a release before the last migration has left it, with a thousand people. */
async function formerDatabase(t: TestContext, statementTimeoutMs?: number) {
  const url = await emptyDatabase(t)
  const connection = await connectPostgres({
    url,
    maxConnections: 4,
    ...(statementTimeoutMs && { statementTimeoutMs }),
  })
  await migrate(connection, await migrationsBefore('host_identifiers'))
  await connection.executeScript(`
    insert into organizations (name, created_at) values ('Acme', now());
    insert into people (organization_id, name, email, created_at)
    select 1, 'Person ' || n, n || '@acme.example', now() from generate_series(1, 1000) as n;
    alter table people set (autovacuum_enabled = false)`)
  return connection
}

testOnPostgres(
  'an upgrade tells the planner what is in the tables, and a first start has nothing to tell',
  async (t) => {
    const connection = await formerDatabase(t)
    assert.deepEqual(await analyzed(connection), [])
    await upgradeDatabase(connection)
    assert.ok((await analyzed(connection)).includes('people'))
    await connection.close()
    const fresh = await connectPostgres({ url: await emptyDatabase(t), maxConnections: 2 })
    await upgradeDatabase(fresh)
    assert.deepEqual(await analyzed(fresh), [])
    await fresh.close()
  },
)

testOnPostgres('an upgrade succeeds where the tables cannot be analyzed', async (t) => {
  const warn = t.mock.method(process, 'emitWarning', () => {})
  const connection = await formerDatabase(t, 2_000)
  const holding = await connection.openIsolated('holding')
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = transact(holding.db, async (tx) => {
    // One that no migration since then waits for.
    await sql`lock table person_groups in share update exclusive mode`.execute(tx)
    resolve()
    await upgraded
  })
  const upgraded = promise.then(() => upgradeDatabase(connection))
  const { applied } = await upgraded
  await held
  assert.ok(applied.includes('0058_host_identifiers.sql'))
  assert.match(String(warn.mock.calls[0]?.arguments[0]), /^Run ANALYZE: .*statement timeout/)
  await holding.close()
  await connection.close()
})
