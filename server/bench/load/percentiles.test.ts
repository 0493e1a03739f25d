import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latenciesOf, medianOf } from './percentiles.ts'

test('percentiles are times that were measured, by nearest rank', () => {
  const times = Array.from({ length: 200 }, (_, index) => 200 - index)
  assert.deepEqual(latenciesOf(times), { count: 200, p50Ms: 100, p95Ms: 190, p99Ms: 198, maxMs: 200 })
  assert.deepEqual(latenciesOf([7]), { count: 1, p50Ms: 7, p95Ms: 7, p99Ms: 7, maxMs: 7 })
  assert.deepEqual(latenciesOf([]), { count: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 })
})

test('a median is one of its values and leaves them as they are', () => {
  const values = [9, 1, 5]
  assert.equal(medianOf(values), 5)
  assert.deepEqual(values, [9, 1, 5])
})
