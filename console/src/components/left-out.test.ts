import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOutInWords, leftOutOf } from './left-out.ts'

test('what an address says and its page does not know is told, value by value', () => {
  assert.deepEqual(leftOutOf({ state: 'blocked', q: 'ana' }, { state: 'blocked', q: 'ana' }), [])
  assert.deepEqual(leftOutOf({ state: 'blokced' }, {}), ['state=blokced'])
  assert.deepEqual(leftOutOf({ state: 'blocked,blokced,x' }, { state: 'blocked' }), ['state=blokced', 'state=x'])
  assert.deepEqual(leftOutOf({ state: 'blocked,blocked,' }, { state: 'blocked' }), [], 'said twice is no fault')
  assert.deepEqual(leftOutOf({ q: '', sort: ' ' }, {}), [], 'nothing was asked for')
  assert.deepEqual(leftOutOf({ utm_source: 'mail', q: 'ana' }, { q: 'ana' }), ['utm_source=mail'])
  const long = 'x'.repeat(300)
  assert.deepEqual(leftOutOf({ q: long }, { q: long.slice(0, 200) }), [`q=${long}`])
})

test('the words name at most three, cut what is long and show what hides', () => {
  assert.equal(leftOutInWords(['state=blokced']).join(''), 'state=blokced is unknown and was ignored.')
  assert.equal(leftOutInWords(['a=1', 'b=2']).join(''), 'a=1 and b=2 are unknown and were ignored.')
  const many = leftOutInWords(['a=1', 'b=2', 'c=3', 'd=4', 'e=5'])
  assert.equal(many.join(''), 'a=1, b=2, c=3 and 2 more are unknown and were ignored.')
  assert.deepEqual(leftOutInWords(['a=1', 'b=2', 'c=3']), [
    '',
    'a=1',
    ', ',
    'b=2',
    ' and ',
    'c=3',
    ' are unknown and were ignored.',
  ])
  assert.equal(leftOutInWords(['q=a\u202eb\u0000'])[1], 'q=a\\u202eb\\u0000')
  for (const hostile of ['\u202e'.repeat(5_000), 'x'.repeat(5_000)]) {
    assert.ok((leftOutInWords([hostile])[1] ?? '').length <= 61)
  }
})
