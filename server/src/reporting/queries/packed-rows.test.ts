import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { boundRow } from '../sandbox/report-row.ts'
import { packRows, rowsPerSlice, unpackRows, unpackWholeRows } from './packed-rows.ts'

const values = Array.from({ length: 2 * rowsPerSlice + 3 }, (_, at) => ({
  at,
  text: `Zoë’s\n"${'x'.repeat(at)}" 🙂\u2028`,
}))
const packed = packRows(values.map((value) => boundRow(JSON.stringify(value))))
const bytes = Buffer.from(packed.content)

test('each slice is a part that can be read alone, whatever its texts hold', () => {
  assert.equal(packed.rowCount, values.length)
  assert.equal(packed.sliceEnds.length, 3)
  const starts = [0, ...packed.sliceEnds]
  const slices = packed.sliceEnds.map((end, index) => unpackRows(bytes.toString('utf8', starts[index], end)))
  assert.deepEqual(
    slices.map(({ length }) => length),
    [rowsPerSlice, rowsPerSlice, 3],
  )
  assert.deepEqual(slices.flat(), values)
  assert.equal(packed.sliceEnds.at(-1), bytes.length)
  assert.deepEqual(packed.digest, createHash('sha256').update(bytes).digest())
})

test('of a part that ends within a row the whole ones are read', () => {
  const [end = 0] = packed.sliceEnds
  assert.equal(unpackWholeRows(bytes.toString('utf8', 0, end)).length, rowsPerSlice)
  assert.equal(unpackWholeRows(bytes.toString('utf8', 0, end - 1)).length, rowsPerSlice - 1)
  assert.deepEqual(unpackWholeRows(bytes.toString('utf8', 0, 5)), [])
})

test('no rows are an empty value', () => {
  const { content, sliceEnds } = packRows([])
  assert.deepEqual([content, sliceEnds, unpackRows(content), unpackWholeRows('')], ['', [], [], []])
})
