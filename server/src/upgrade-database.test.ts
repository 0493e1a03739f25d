import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../test/support/database.ts'
import { connectPostgres } from './base/db/connect.ts'
import { testMigrations } from './base/db/test-schema.ts'
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
