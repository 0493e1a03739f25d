import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { engine, testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { connectPostgres } from './connect.ts'
import { migrate, migrationsHash, pendingMigrations } from './migrate.ts'
import { testMigrations } from './test-schema.ts'

const database = testDatabase(testMigrations)
const folders: string[] = []
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

beforeEach(async () => {
  await database.connection.executeScript('drop schema public cascade; create schema public')
})

async function folderOf(files: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(path.join(tmpdir(), 'muster-migrations-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
  return pathToFileURL(`${folder}/`)
}

const tables = async () => {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(database.db)
  return rows.map(({ name }) => name)
}

const one = { '0001_make_one.sql': 'create table one (id int); insert into one values (1);' }
const two = { ...one, '0002_make_two.sql': '-- a comment at the end counts too\ncreate table two (id int) -- so' }

test('migrations apply in order, once', async () => {
  assert.deepEqual(await pendingMigrations(database.connection, await folderOf(two)), [
    '0001_make_one.sql',
    '0002_make_two.sql',
  ])
  assert.deepEqual(await migrate(database.connection, await folderOf(one)), { applied: ['0001_make_one.sql'] })
  assert.deepEqual(await pendingMigrations(database.connection, await folderOf(two)), ['0002_make_two.sql'])
  assert.deepEqual(await migrate(database.connection, await folderOf(two)), { applied: ['0002_make_two.sql'] })
  assert.deepEqual(await migrate(database.connection, await folderOf(two)), { applied: [] })
  assert.deepEqual(await tables(), ['one', 'schema_migrations', 'two'])
})

test('a migration that fails leaves nothing behind and names its file', async () => {
  const folder = await folderOf({ ...one, '0002_break.sql': 'create table half (id int); select 1/0;' })
  await assert.rejects(migrate(database.connection, folder), /Migration 0002_break.sql failed: division by zero/)
  assert.deepEqual(await tables(), ['one', 'schema_migrations'])
  assert.deepEqual(await pendingMigrations(database.connection, folder), ['0002_break.sql'])
})

test('an applied file that has changed is refused', async () => {
  await migrate(database.connection, await folderOf(one))
  const changed = await folderOf({ '0001_make_one.sql': 'create table one (id bigint);' })
  await assert.rejects(migrate(database.connection, changed), /0001_make_one.sql has changed since it was applied/)
  await assert.rejects(pendingMigrations(database.connection, changed), /has changed/)
})

test('a database newer than the code is refused', async () => {
  await migrate(database.connection, await folderOf(two))
  await assert.rejects(migrate(database.connection, await folderOf(one)), /newer than this version.*0002_make_two.sql/)
})

test('a gap, a repeat or a misnamed file is refused', async () => {
  const gap = await folderOf({ ...one, '0003_three.sql': 'select 1' })
  await assert.rejects(migrate(database.connection, gap), /without gaps or repeats: see 0003_three.sql/)
  const misnamed = await folderOf({ 'first.sql': 'select 1' })
  await assert.rejects(migrate(database.connection, misnamed), /0001_what_it_does.sql: first.sql/)
})

test('the identity of a folder changes with any file', async () => {
  const hash = await migrationsHash(await folderOf(one))
  assert.equal(await migrationsHash(await folderOf(one)), hash)
  assert.notEqual(await migrationsHash(await folderOf(two)), hash)
})

test('starters at the same time apply each migration once', async () => {
  const folder = await folderOf({ ...two, '0003_slow.sql': 'select pg_sleep(0.2); insert into one values (2);' })
  const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(database.connection, folder)))
  assert.deepEqual(runs.flatMap(({ applied }) => applied).toSorted(), [
    '0001_make_one.sql',
    '0002_make_two.sql',
    '0003_slow.sql',
  ])
  assert.deepEqual((await sql`select id from one order by id`.execute(database.db)).rows, [{ id: 1 }, { id: 2 }])
})

testOnPostgres('a migration may take longer than a statement may', async () => {
  const connection = await connectPostgres({ url: database.url ?? '', statementTimeoutMs: 100 })
  assert.equal(connection.engine, engine)
  const folder = await folderOf({ '0001_slow.sql': 'select pg_sleep(0.4);' })
  assert.deepEqual(await migrate(connection, folder), { applied: ['0001_slow.sql'] })
  await connection.close()
})
