import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { namedStatements } from './named-statements.ts'
import { testMigrations } from './test-schema.ts'
import { type Db, type Tx, transact } from './transact.ts'

const database = testDatabase(testMigrations)
const nameAfter = (statements: ReturnType<typeof namedStatements>, text: string, times: number) => {
  let name: string | undefined
  for (let time = 0; time < times; time += 1) name = statements.nameOf(text)
  return name
}

test('a text is named once it repeats, and keeps its name', () => {
  const statements = namedStatements()
  assert.equal(nameAfter(statements, 'select $1', 2), undefined)
  const name = statements.nameOf('select $1')
  assert.match(name ?? '', /^m_[\w-]{22}$/)
  assert.equal(statements.nameOf('select $1'), name)
  assert.notEqual(nameAfter(statements, 'select $1, 2', 3), name)
})

test('endless shapes exhaust neither names nor memory', () => {
  const statements = namedStatements(10)
  for (let shape = 0; shape < 20_000; shape += 1) assert.equal(statements.nameOf(`select ${shape}, $1`), undefined)
  const names = Array.from({ length: 30 }, (_, shape) => nameAfter(statements, `select $1 /* ${shape} */`, 5))
  assert.equal(names.filter((name) => name !== undefined).length, 10)
})

test('a very long text and a command that cannot be prepared are never named', () => {
  const statements = namedStatements()
  assert.equal(nameAfter(statements, `insert into t values ${'($1), '.repeat(2_000)}`, 5), undefined)
  assert.equal(nameAfter(statements, 'create table t (id int)', 5), undefined)
})

test('a search by pattern is never named, as its plan depends on the pattern', () => {
  const statements = namedStatements()
  assert.equal(nameAfter(statements, 'select id from devices where name ilike $1', 5), undefined)
})

test('a retired text is not named again', () => {
  const statements = namedStatements()
  nameAfter(statements, 'select $1', 3)
  statements.retire('select $1')
  assert.equal(nameAfter(statements, 'select $1', 5), undefined)
})

testOnPostgres('the server has repeated statements prepared', async () => {
  for (let time = 0; time < 30; time += 1) {
    await sql`select ${time}::int as "prepared probe"`.execute(database.db)
  }
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where statement like '%prepared probe%'`.execute(database.db)
  assert.ok(rows.length > 0)
})

testOnPostgres('a plan made stale by a change of the table goes unnoticed', async () => {
  await database.connection.executeScript('create table shifting (a int); insert into shifting values (1)')
  const read = (reader: Db | Tx) => sql`select * from shifting where a = ${1}`.execute(reader)
  for (let time = 0; time < 5; time += 1) await read(database.db)
  await database.connection.executeScript('alter table shifting add b int default 2')
  assert.deepEqual((await read(database.db)).rows, [{ a: 1, b: 2 }])
  await sql`alter table shifting add c int`.execute(database.db)
  assert.deepEqual((await transact(database.db, read)).rows, [{ a: 1, b: 2, c: null }])
})

testOnPostgres('a plan made stale has a transaction begin again', async () => {
  await database.connection.executeScript('create table moving (a int); insert into moving values (1)')
  const read = (reader: Db | Tx) => sql`select * from moving where a = ${1}`.execute(reader)
  for (let time = 0; time < 5; time += 1) await read(database.db)
  await database.connection.executeScript('alter table moving add b int default 2')
  let attempts = 0
  const { rows } = await transact(database.db, (tx) => {
    attempts += 1
    return read(tx)
  })
  assert.deepEqual({ rows, attempts }, { rows: [{ a: 1, b: 2 }], attempts: 2 })
})
