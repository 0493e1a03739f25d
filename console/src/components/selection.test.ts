import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choose, everything, isChosen, nothing, range, sizeOf } from './selection.ts'

test('rows are chosen by themselves, or as all that the filter finds but some', () => {
  const some = choose(nothing, ['1', '2', '3'], true)
  assert.deepEqual([sizeOf(some, 74), isChosen(some, '2'), isChosen(some, '4')], [3, true, false])
  assert.equal(sizeOf(choose(some, ['2', '9'], false), 74), 2)
  const all = choose(everything, ['2'], false)
  assert.deepEqual([sizeOf(all, 74), isChosen(all, '2'), isChosen(all, '400')], [73, false, true])
  assert.equal(sizeOf(choose(all, ['2'], true), 74), 74)
  assert.equal(sizeOf(choose(everything, ['1', '2'], false), 1), 0, 'the list has become shorter meanwhile')
})

test('a range goes either way, and is the row itself where its other end has left the page', () => {
  const ids = ['a', 'b', 'c', 'd']
  assert.deepEqual(range(ids, 'b', 'd'), ['b', 'c', 'd'])
  assert.deepEqual(range(ids, 'd', 'b'), ['b', 'c', 'd'])
  assert.deepEqual(range(ids, undefined, 'c'), ['c'])
  assert.deepEqual(range(ids, 'z', 'c'), ['c'])
})
