import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueText } from './value-text.ts'

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

const texts: [value: unknown, text: string][] = [
  ['text', 'text'],
  [null, ''],
  [undefined, ''],
  [1.5, '1.5'],
  [false, 'false'],
  [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
  [nested(8), '[[[[[[[[]]]]]]]]'],
  [nested(9), '(too large)'],
  [nested(100_000), '(too large)'],
  [Array.from({ length: 1_000 }, () => 1), `[${'1,'.repeat(999)}1]`],
  [Array.from({ length: 1_001 }, () => 1), '(too large)'],
  [Array.from({ length: 500 }, () => [1]), `[${'[1],'.repeat(499)}[1]]`],
  [Array.from({ length: 501 }, () => [1]), '(too large)'],
]
for (const [value, text] of texts) {
  test(`the text of a value is ${text.slice(0, 30) || 'empty'}`, () => assert.equal(valueText(value), text))
}
