import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../../../test/support/app.ts'
import { makeIn, startOfTests } from '../../../test/support/make.ts'
import { CursorError } from '../../base/lists/cursor.ts'
import { rowsPerSlice } from './packed-rows.ts'
import { firstResults, listResults, placeOfResult } from './queries.ts'

const app = testApp()
const make = makeIn(app)

beforeEach(() => app.reset())

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ at, text: `Zoë’s 🙂 ${'ß'.repeat(at % 9)}` }))
const page = (queryId: string, after: string | undefined, limit: number) => ({
  ...{ organizationId: app.tenant.organizationId, params: { queryId }, after, limit },
  ...{ search: undefined, order: 'ascending' as const, now: startOfTests },
})

test('pages of any length have every row once, in order', async () => {
  for (const count of [1, rowsPerSlice - 1, rowsPerSlice, rowsPerSlice + 1, 4 * rowsPerSlice + 7]) {
    const rows = rowsOf(count)
    const { id } = await make.reportingQuery(app.tenant.organizationId, { rows })
    for (const perPage of [1, 7, rowsPerSlice - 1, rowsPerSlice, rowsPerSlice + 1, 500]) {
      const read: unknown[] = []
      for (let after: string | undefined; ; ) {
        const found = await listResults(app.db, page(id, after, perPage + 1))
        read.push(...found.slice(0, perPage).map(({ content }) => content))
        const last = found[perPage - 1]
        if (found.length <= perPage || !last) break
        after = placeOfResult(last)
      }
      assert.deepEqual(read, rows, `${count} rows in pages of ${perPage}`)
    }
  }
})

test('a place behind the last row, or of a run that is gone, is refused', async () => {
  const { id } = await make.reportingQuery(app.tenant.organizationId, { rows: rowsOf(3) })
  assert.equal((await listResults(app.db, page(id, '1/2', 10))).length, 1)
  for (const place of ['1/3', '1/999999999', '2/0', '7/1', 'x/1', '1', '1/1/1', '']) {
    await assert.rejects(listResults(app.db, page(id, place, 10)), CursorError, place)
  }
})

test('the first rows are those that fit, also where what fits ends within a letter', async () => {
  const { organizationId } = app.tenant
  const rows = rowsOf(12)
  const { id } = await make.reportingQuery(organizationId, { rows })
  const bare = await make.reportingQuery(organizationId, { rows: [] })
  const ends = rows.map((_, at) =>
    Buffer.byteLength(
      rows
        .slice(0, at + 1)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    ),
  )
  const last = ends.at(-1) ?? 0
  for (let most = 0; most <= last + 3; most += 1) {
    const [found] = (await firstResults(app.db, organizationId, [{ id, run_id: '1' }], most)).values()
    assert.deepEqual(found, rows.slice(0, ends.filter((end) => end <= most).length), `${most} bytes`)
  }
  const queries = [id, bare.id].map((one) => ({ id: one, run_id: '1' }))
  const shared = await firstResults(app.db, organizationId, queries, 2 * last)
  assert.deepEqual(
    Array.from(shared.values(), ({ length }) => length),
    [12, 0],
  )
})

test('rows are stored so that a part of them is read without the rest', async () => {
  const { rows } = await sql<{ storage: string }>`
    select attstorage as storage from pg_attribute
    where attrelid = 'reporting_query_runs'::regclass and attname = 'content'`.execute(app.db)
  assert.deepEqual(rows, [{ storage: 'e' }])
  const text = 'x'.repeat(400)
  await make.reportingQuery(app.tenant.organizationId, {
    rows: Array.from({ length: 10_000 }, (_, at) => ({ at, text })),
  })
  const { rows: lengths } = await sql<{ bytes: number; slices: number }>`
    select pg_column_size(content) as bytes, pg_column_size(slice_ends) as slices from reporting_query_runs`.execute(
    app.db,
  )
  assert.ok((lengths[0]?.bytes ?? 0) > 4_000_000, 'not compressed')
  assert.ok((lengths[0]?.slices ?? 0) < 1_700, 'within the row')
})
