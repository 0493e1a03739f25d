import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawnRows } from './drawn-rows.ts'

test('rows out of sight are places, but the one that has the focus stays drawn', () => {
  assert.deepEqual(drawnRows(5, 0, 5, undefined), [{ from: 0, to: 5 }])
  assert.deepEqual(drawnRows(1_000, 100, 160, undefined), [
    { from: 0, gap: 100 },
    { from: 100, to: 160 },
    { from: 160, gap: 840 },
  ])
  assert.deepEqual(drawnRows(1_000, 100, 160, 120), [
    { from: 0, gap: 100 },
    { from: 100, to: 160 },
    { from: 160, gap: 840 },
  ])
  assert.deepEqual(drawnRows(1_000, 100, 160, 3), [
    { from: 0, gap: 3 },
    { from: 3, to: 4 },
    { from: 4, gap: 96 },
    { from: 100, to: 160 },
    { from: 160, gap: 840 },
  ])
  assert.deepEqual(drawnRows(1_000, 100, 160, 160), [
    { from: 0, gap: 100 },
    { from: 100, to: 160 },
    { from: 160, to: 161 },
    { from: 161, gap: 839 },
  ])
  assert.deepEqual(drawnRows(1_000, 0, 60, 999), [
    { from: 0, to: 60 },
    { from: 60, gap: 939 },
    { from: 999, to: 1_000 },
  ])
  assert.deepEqual(drawnRows(10, 0, 10, 40), [{ from: 0, to: 10 }], 'the rows have become fewer')
  for (const drawn of [drawnRows(1_000, 100, 160, 3), drawnRows(1_000, 0, 0, undefined)]) {
    assert.equal(
      drawn.reduce((sum, one) => sum + ('gap' in one ? one.gap : one.to - one.from), 0),
      1_000,
    )
  }
})
