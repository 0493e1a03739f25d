import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countChanges } from './count-changes.ts'

test('what came, went or moved is counted once each', () => {
  const count = (before: string, after: string) => countChanges([...before], [...after])
  assert.equal(count('abcde', 'abcde'), 0)
  assert.equal(count('', 'ab'), 2)
  assert.equal(count('abcde', 'abde'), 1, 'one went')
  assert.equal(count('abcde', 'xabcd'), 1, 'one came and pushed the last one out')
  assert.equal(count('abcde', 'eabcd'), 1, 'one moved to the top, the others stand as they stood')
  assert.equal(count('abcde', 'bacde'), 1)
  assert.equal(count('abcde', 'edcba'), 4)
  assert.equal(count('abcde', 'vwxyz'), 5)
})
