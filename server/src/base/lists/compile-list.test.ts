import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../../test/support/database.ts'
import { type Db, transact } from '../db/transact.ts'
import { compileList } from './compile-list.ts'
import { afterCursor, inKeysetOrder, type Keyset } from './keyset.ts'
import type { ListPage } from './list-page.ts'
import type { SearchExpression } from './search-expression.ts'

const database = testDatabase()
const byId: Keyset = { id: { column: 'organizations.id', type: 'bigint' }, direction: 'asc' }
let built = 0

const organizations = (db: Db, { params, after, limit, now, search }: ListPage<{ readonly name: string }>) => {
  built += 1
  return db
    .selectFrom('organizations')
    .select('id')
    .where('name', '=', params.name)
    .where('created_at', '<', sql<string>`${now}::timestamptz`)
    .where(afterCursor(byId, after === undefined ? undefined : [after]))
    .$if(search !== undefined, (query) => query.where('id', '=', String(search?.[0]?.[0]?.value)))
    .$call(inKeysetOrder(byId))
    .limit(sql.lit(limit))
}
const list = compileList(organizations)

const page = (name: string, changed: Partial<ListPage> = {}) =>
  ({
    organizationId: '1',
    params: { name },
    search: undefined,
    after: undefined,
    limit: 2,
    order: 'ascending',
    now: '2026-11-20T10:00:00.000Z',
    ...changed,
  }) as ListPage<{ readonly name: string }>

before(async () => {
  await database.ready
  const rows = ['a', 'a', 'a', 'b'].map((name) => ({ name, created_at: '2026-01-01T00:00:00.000Z' }))
  await database.db.insertInto('organizations').values(rows).execute()
})

test('a compiled list answers each page as the query built for it would, and is built once for each shape', async () => {
  const pages = [
    page('a'),
    page('b'),
    page('a', { limit: 1 }),
    page('a', { after: '1' }),
    page('a', { after: '2', limit: 5 }),
    page('a', { now: '2025-01-01T00:00:00.000Z' }),
  ]
  const idsOf = async (one: ListPage<{ readonly name: string }>) => (await list(database.db, one)).map(({ id }) => id)
  built = 0
  const found = []
  for (const one of pages) found.push(await idsOf(one))
  assert.equal(built, 4)
  assert.deepEqual(found, [['1', '2'], ['4'], ['1'], ['2', '3'], ['3'], []])
})

test('a search is built once for each expression and shape, with its own values', async () => {
  const [first, second] = ['2', '3'].map((value) => [[{ field: 'id', operator: ':', value }]]) as SearchExpression[]
  built = 0
  const found = []
  for (const search of [first, second, first, second]) {
    found.push(await list(database.db, page('a', { search })))
    found.push(await list(database.db, page('a', { search, after: '2' })))
  }
  const [two, three] = [[{ id: '2' }], [{ id: '3' }]]
  assert.deepEqual(found, [two, [], three, three, two, [], three, three])
  assert.equal(built, 4)
})

test('a compiled list inside a transaction is refused, as every query outside of it', async () => {
  await list(database.db, page('a'))
  await assert.rejects(
    transact(database.db, () => list(database.db, page('a'))),
    /Query the transaction/,
  )
})
