import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { connectPostgres } from './connect.ts'
import { readDirectly, runDirectly } from './run-directly.ts'
import { testMigrations } from './test-schema.ts'
import { type Db, transact } from './transact.ts'

const database = testDatabase(testMigrations)
before(() => database.ready)

/** A pool of so many connections of its own. */
async function withConnections<Result>(maxConnections: number, work: (db: Db) => Promise<Result>): Promise<Result> {
  const connection = await connectPostgres({ url: database.url ?? '', maxConnections })
  try {
    return await work(connection.db)
  } finally {
    await connection.close()
  }
}

const values = `select $1::bigint as id, $2::text as name, true as yes, null::text as nothing, $3::bytea as bytes,
  '2026-01-02 03:04:05.6+00'::timestamptz as at, '{"a":1}'::jsonb as json, array['x','y'] as list`

test('a statement gives the values that the query builder would, also when it is prepared and by way of either engine', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const given = [String(turn), 'né"\\', Buffer.from([turn, 0])]
    const expected = {
      ...{ id: String(turn), name: 'né"\\', yes: true, nothing: null, bytes: Buffer.from([turn, 0]) },
      ...{ at: '2026-01-02T03:04:05.600Z', json: { a: 1 }, list: ['x', 'y'] },
    }
    assert.deepEqual(await runDirectly(database.db, values, given), [expected])
    assert.deepEqual(await readDirectly(database.db, 'all', values, given), [expected])
  }
})

test('a statement inside a transaction is refused', async () => {
  await assert.rejects(
    transact(database.db, () => readDirectly(database.db, 'all', 'select $1::int as a', [1])),
    /Query the transaction/,
  )
})

testOnPostgres('many reads at the same time on few connections are each answered with their own rows', async () => {
  await withConnections(3, async (db) => {
    const numbers = Array.from({ length: 200 }, (_, number) => number)
    const rows = await Promise.all(
      numbers.map((number) =>
        number % 2 === 0
          ? readDirectly(db, String(number % 3), 'select n from generate_series(1, $1::int) as n', [number % 7])
          : readDirectly(db, 'odd', 'select $1::int as odd, $2::text as name', [number, `n${number}`]),
      ),
    )
    for (const number of numbers) {
      const series = Array.from({ length: number % 7 }, (_, index) => ({ n: index + 1 }))
      assert.deepEqual(rows[number], number % 2 === 0 ? series : [{ odd: number, name: `n${number}` }])
    }
  })
})

testOnPostgres(
  'where connections are short, a few reads of one party share one, and never with another party',
  async () => {
    await withConnections(1, async (db) => {
      // The time of a transaction tells what was asked together.
      const startOf = async (party: string) => {
        const [row] = await readDirectly<{ at: string }>(db, party, 'select now()::text as at, $1::text', [party])
        return row?.at
      }
      const parties = ['a', 'b', 'a', 'b', 'a', 'a', 'a']
      const starts = await Promise.all(parties.map(startOf))
      const [first, second] = starts
      assert.deepEqual(starts.slice(0, 6), [first, second, first, second, first, first])
      assert.equal(new Set([first, second, starts[6]]).size, 3)
    })
  },
)

testOnPostgres('a read that fails fails alone', async () => {
  await withConnections(1, async (db) => {
    const ask = (text: string) => readDirectly<{ n: number }>(db, 'all', 'select $1::int as n', [text])
    for (let turn = 0; turn < 4; turn += 1) {
      const answers = await Promise.allSettled(['1', 'x', '3', 'y', '5'].map(ask))
      const outcomes = answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value[0]?.n : (answer.reason as { code: string }).code,
      )
      assert.deepEqual(outcomes, [1, '22P02', 3, '22P02', 5])
    }
  })
})

testOnPostgres('a prepared statement whose columns have changed meanwhile is prepared again', async () => {
  await withConnections(1, async (db) => {
    await sql`create table widened (id int)`.execute(db)
    await sql`insert into widened values (1)`.execute(db)
    const read = () => readDirectly(db, 'all', 'select * from widened where id = $1', [1])
    for (let turn = 0; turn < 5; turn += 1) assert.deepEqual(await read(), [{ id: 1 }])
    await sql`alter table widened add column name text`.execute(db)
    const wide = [{ id: 1, name: null }]
    assert.deepEqual(await Promise.all([read(), read(), read()]), [wide, wide, wide])
  })
})

testOnPostgres('a session that ends fails what it was asked, and the next one serves', async () => {
  await withConnections(1, async (db) => {
    const end = runDirectly(db, 'select pg_terminate_backend(pg_backend_pid()), $1::int', [1])
    await assert.rejects(end)
    assert.deepEqual(await runDirectly(db, 'select $1::int as n', [2]), [{ n: 2 }])
  })
})

testOnPostgres('reads that wait when no connection can be had are all told so', async () => {
  const connection = await connectPostgres({ url: database.url ?? '', maxConnections: 1 })
  await connection.close()
  const reads = ['1', '2', '3'].map((text) => readDirectly(connection.db, 'all', 'select $1::int as n', [text]))
  const answers = await Promise.allSettled(reads)
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  )
})

testOnPostgres('a statement that writes is answered after its commit, and fails with it', async () => {
  await withConnections(2, async (db) => {
    await sql`create table paired (a int, b int unique deferrable initially deferred)`.execute(db)
    const insert = 'insert into paired values ($1, $2) returning a'
    assert.deepEqual(await runDirectly(db, insert, [1, 1]), [{ a: 1 }])
    assert.deepEqual(await runDirectly(db, 'select count(*)::int as n from paired where a >= $1', [0]), [{ n: 1 }])
    await assert.rejects(runDirectly(db, insert, [2, 1]), { code: '23505' })
    assert.deepEqual(await runDirectly(db, 'select a from paired where a >= $1', [0]), [{ a: 1 }])
  })
})

testOnPostgres('a value that cannot be read fails its statement alone', async () => {
  await withConnections(1, async (db) => {
    const read = (text: string) =>
      readDirectly(db, 'all', 'select $1::text as name, ($1::text)::timestamptz as at', [text])
    await sql`set time zone '+02'`.execute(db)
    const answers = await Promise.allSettled(['2026-01-01T00:00:00Z', 'infinity'].map(read))
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    )
  })
})
