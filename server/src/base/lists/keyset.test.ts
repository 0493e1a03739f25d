import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { CursorError } from './cursor.ts'
import { afterCursor, inKeysetOrder, type Keyset, pageOf } from './keyset.ts'

type Row = { id: string; name: string; seen_at: string | null }
type Tables = { walked: Row }

const id = { column: 'walked.id', type: 'bigint' } as const
const keysets: Record<string, Keyset> = {
  'id ascending': { id, direction: 'asc' },
  'id descending': { id, direction: 'desc' },
  'name ascending': { id, sort: { column: 'name', type: 'text' }, direction: 'asc' },
  'name descending': { id, sort: { column: sql.ref('name'), type: 'text' }, direction: 'desc' },
  'seen_at ascending, nulls last': {
    id,
    sort: { column: 'seen_at', type: 'timestamptz', nullable: true },
    direction: 'asc',
  },
  'seen_at descending, nulls first': {
    id,
    sort: { column: 'seen_at', type: 'timestamptz', nullable: true },
    direction: 'desc',
  },
}

/** Few different values, so that ties and nulls fall on the edges of pages. */
const rowAt = (index: number): Row => ({
  id: String(index),
  name: ['', 'a', 'B', 'é', '%', "o'k"][(index * 7) % 6] ?? '',
  seen_at:
    index % 5 === 0 ? null : `2026-11-${20 + ((index * 3) % 4)}T10:00:00.${String((index * 11) % 3).padStart(3, '0')}Z`,
})

function sortKeyOf(row: Row, { sort }: Keyset): (string | null)[] {
  if (!sort) return [row.id]
  return [sort.type === 'timestamptz' ? row.seen_at : row.name, row.id]
}

async function fetchPage(db: Kysely<Tables>, keyset: Keyset, sortKey: (string | null)[] | undefined, perPage: number) {
  const rows = await db
    .selectFrom('walked')
    .select([
      sql<string>`id::text`.as('id'),
      'name',
      sql<string | null>`to_char(seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`.as('seen_at'),
    ])
    .where(afterCursor(keyset, sortKey))
    .$call(inKeysetOrder(keyset))
    .limit(perPage + 1)
    .execute()
  return pageOf(rows, perPage)
}

const database = testDatabase()

/** The database with an empty table to walk. */
async function emptyDatabase() {
  await database.connection.executeScript(`
    create table if not exists walked (id bigint primary key, name text not null, seen_at timestamptz(3));
    truncate walked`)
  return database.db.withTables<Tables>()
}

for (const [name, keyset] of Object.entries(keysets)) {
  test(`a walk by ${name} returns every lasting row once and in order while others come and go`, async () => {
    const db = await emptyDatabase()
    const walks = fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.record({ from: fc.nat(39), isNew: fc.boolean() }), { maxLength: 12 }),
      async (perPage, changes) => {
        const lasting = Array.from({ length: 40 }, (_, index) => rowAt(index * 3 + 1))
        const passing = lasting.map((row) => rowAt(Number(row.id) + 1))
        await db.deleteFrom('walked').execute()
        await db
          .insertInto('walked')
          .values([...lasting, ...passing])
          .execute()
        const expected = await fetchOrder(db, keyset, lasting)

        const walked: string[] = []
        let sortKey: (string | null)[] | undefined
        for (;;) {
          const { rows, hasMore } = await fetchPage(db, keyset, sortKey, perPage)
          walked.push(...rows.map((row) => row.id))
          const last = rows.at(-1)
          if (!last || !hasMore) break
          sortKey = sortKeyOf(last, keyset)
          const change = changes.pop()
          if (change?.isNew) {
            const row = rowAt(change.from * 3 + 3)
            await db
              .insertInto('walked')
              .values(row)
              .onConflict((conflict) => conflict.doNothing())
              .execute()
          }
          // The cursor's own row goes too, when it is not one that must last.
          const gone = [last.id, rowAt((change?.from ?? 0) * 3 + 2).id].filter((one) => Number(one) % 3 !== 1)
          if (gone.length > 0) await db.deleteFrom('walked').where('id', 'in', gone).execute()
        }
        assert.equal(new Set(walked).size, walked.length, 'no row twice')
        const isLasting = new Set(lasting.map((row) => row.id))
        assert.deepEqual(
          walked.filter((one) => isLasting.has(one)),
          expected,
        )
      },
    )
    await fc.assert(walks, { numRuns: 8 })
  })
}
async function fetchOrder(db: Kysely<Tables>, keyset: Keyset, lasting: Row[]): Promise<string[]> {
  const rows = await db
    .selectFrom('walked')
    .select(sql<string>`id::text`.as('id'))
    .where(
      'id',
      'in',
      lasting.map((row) => row.id),
    )
    .$call(inKeysetOrder(keyset))
    .execute()
  return rows.map((row) => row.id)
}

test('a page that is exactly full has no more rows', () => {
  assert.deepEqual(pageOf([1, 2, 3], 3), { rows: [1, 2, 3], hasMore: false })
  assert.deepEqual(pageOf([1, 2, 3, 4], 3), { rows: [1, 2, 3], hasMore: true })
  assert.deepEqual(pageOf([], 3), { rows: [], hasMore: false })
})

test('a sort key made for another order is a bad cursor', () => {
  const byName: Keyset = { id, sort: { column: 'name', type: 'text' }, direction: 'asc' }
  for (const sortKey of [[], ['1'], ['a', null], ['a', 'b', '1']]) {
    assert.throws(() => afterCursor(byName, sortKey), CursorError)
  }
  assert.throws(() => afterCursor({ id, direction: 'asc' }, ['a', '1']), CursorError)
})
