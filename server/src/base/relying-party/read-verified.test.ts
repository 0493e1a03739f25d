import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVerified } from './read-verified.ts'

const cases: [value: unknown, expected: boolean | undefined][] = [
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  [undefined, undefined],
  ...[null, '', 'True', 'TRUE', ' true', 'true ', 'yes', '1', 1, 0, {}, [true], ['true']].map(
    (value): [unknown, boolean] => [value, false],
  ),
]

test('an address is verified by the boolean or the text true, and an absent word is none', () => {
  for (const [value, expected] of cases) assert.equal(readVerified(value), expected, JSON.stringify(value))
})
