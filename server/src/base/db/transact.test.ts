import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { testDatabase, testOnPostgres } from '../../../test/support/database.ts'
import { entriesIn, entriesOf, testMigrations } from './test-schema.ts'
import { afterCommit, transact } from './transact.ts'

const database = testDatabase(testMigrations)
beforeEach(() => database.reset())

const names = async () =>
  (await entriesOf(database.db).selectFrom('entries').select('name').orderBy('name').execute()).map(({ name }) => name)

test('a transaction that resolves is committed and gives its result', async () => {
  const result = await transact(database.db, async (tx) => {
    await entriesIn(tx).insertInto('entries').values({ name: 'kept' }).execute()
    return 42
  })
  assert.equal(result, 42)
  assert.deepEqual(await names(), ['kept'])
})

test('a transaction that rejects leaves nothing behind', async () => {
  const work = transact(database.db, async (tx) => {
    await entriesIn(tx).insertInto('entries').values({ name: 'lost' }).execute()
    throw new Error('changed my mind')
  })
  await assert.rejects(work, /changed my mind/)
  assert.deepEqual(await names(), [])
})

test('a query on the database inside a transaction is refused at once and undoes the transaction', async () => {
  const work = transact(database.db, async (tx) => {
    await entriesIn(tx).insertInto('entries').values({ name: 'lost' }).execute()
    await entriesOf(database.db).insertInto('entries').values({ name: 'stray' }).execute()
  })
  await assert.rejects(work, /Query the transaction, not the database/)
  assert.deepEqual(await names(), [])
})

test('raw SQL on the database inside a transaction is refused as well', async () => {
  await assert.rejects(
    transact(database.db, () => sql`select 1`.execute(database.db)),
    /Query the transaction, not the database/,
  )
})

test('a transaction inside a transaction is refused', async () => {
  await assert.rejects(
    transact(database.db, () => transact(database.db, async () => {})),
    /already open/,
  )
})

test('a query that was not awaited inside its transaction is refused, not run outside it', async () => {
  let late: Promise<unknown> = Promise.resolve()
  await transact(database.db, async (tx) => {
    late = pause(20).then(() => entriesIn(tx).insertInto('entries').values({ name: 'late' }).execute())
    late.catch(() => {})
  })
  await assert.rejects(late, /The transaction is over/)
  assert.deepEqual(await names(), [])
})

test('work started inside a transaction may query the database once the transaction is over', async () => {
  let later: Promise<unknown> = Promise.resolve()
  await transact(database.db, async () => {
    later = pause(20).then(names)
  })
  assert.deepEqual(await later, [])
})

test('a swallowed error cannot turn into a commit of half the work', async () => {
  const work = transact(database.db, async (tx) => {
    await entriesIn(tx).insertInto('entries').values({ name: 'twice' }).execute()
    await entriesIn(tx)
      .insertInto('entries')
      .values({ name: 'twice' })
      .execute()
      .catch(() => {})
  })
  await assert.rejects(work, /abort/i)
  assert.deepEqual(await names(), [])
})

test('callbacks run once, in order, after the commit', async () => {
  const seen: string[] = []
  await transact(database.db, async (tx) => {
    afterCommit(tx, () => seen.push('first'))
    afterCommit(tx, () => seen.push('second'))
    await entriesIn(tx).insertInto('entries').values({ name: 'kept' }).execute()
    seen.push('work')
  })
  assert.deepEqual(seen, ['work', 'first', 'second'])
})

test('callbacks never run after a rollback', async () => {
  const seen: string[] = []
  const work = transact(database.db, async (tx) => {
    afterCommit(tx, () => seen.push('called'))
    throw new Error('no')
  })
  await assert.rejects(work)
  assert.deepEqual(seen, [])
})

test('a callback outside a transaction is refused', async () => {
  const kept = await transact(database.db, async (tx) => tx)
  assert.throws(() => afterCommit(kept, () => {}), /needs an open transaction/)
})

test('a serialization failure runs the work again with fresh callbacks', async () => {
  const seen: string[] = []
  let attempts = 0
  await transact(database.db, async (tx) => {
    attempts += 1
    const attempt = attempts
    afterCommit(tx, () => seen.push(`attempt ${attempt}`))
    await entriesIn(tx).insertInto('entries').values({ name: 'again' }).execute()
    if (attempt < 3) await sql`do $$ begin raise exception 'busy' using errcode = '40001'; end $$`.execute(tx)
  })
  assert.equal(attempts, 3)
  assert.deepEqual(seen, ['attempt 3'])
  assert.deepEqual(await names(), ['again'])
})

test('a failure that keeps coming back is given up after three repeats', async () => {
  let attempts = 0
  const work = transact(database.db, async (tx) => {
    attempts += 1
    await sql`do $$ begin raise exception 'busy' using errcode = '40P01'; end $$`.execute(tx)
  })
  await assert.rejects(work, { code: '40P01' })
  assert.equal(attempts, 4)
})

test('transactions started together all commit', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      transact(database.db, async (tx) => {
        await entriesIn(tx)
          .insertInto('entries')
          .values({ name: `entry ${index}` })
          .execute()
        await pause(1)
        await entriesIn(tx).updateTable('entries').set({ amount: index }).where('name', '=', `entry ${index}`).execute()
      }),
    ),
  )
  assert.equal((await names()).length, 20)
})

testOnPostgres('a deadlock is settled by repeating one side', async () => {
  await entriesOf(database.db)
    .insertInto('entries')
    .values([{ name: 'left' }, { name: 'right' }])
    .execute()
  const addTo = (first: string, second: string) =>
    transact(database.db, async (tx) => {
      for (const name of [first, second]) {
        await sql`update entries set amount = amount + 1 where name = ${name}`.execute(tx)
        await pause(50)
      }
    })
  await Promise.all([addTo('left', 'right'), addTo('right', 'left')])
  const rows = await entriesOf(database.db).selectFrom('entries').select('amount').execute()
  assert.deepEqual(rows, [{ amount: 2 }, { amount: 2 }])
})
