import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesOf } from './shares.ts'

const cases: [counts: number[], shares: string[]][] = [
  [
    [1, 1, 4, 0],
    ['16.7', '16.7', '66.6', '0'],
  ],
  [
    [1, 1, 1],
    ['33.4', '33.3', '33.3'],
  ],
  [
    [0, 0, 0, 401],
    ['0', '0', '0', '100'],
  ],
  [
    [1, 0, 0, 9_999],
    ['0.1', '0', '0', '99.9'],
  ],
  [
    [1, 3],
    ['25.0', '75.0'],
  ],
  [
    [1, 2, 3, 999_994],
    ['0', '0', '0.1', '99.9'],
  ],
]

for (const [counts, shares] of cases) {
  test(`${counts} are ${shares} percent, which is 100 together`, () => {
    const found = sharesOf(counts).map((share) => share.replace(/\u2009%$/, ''))
    const sum = found.reduce((total, share) => total + Number(share), 0)
    assert.equal(sum.toFixed(1), '100.0')
    assert.deepEqual(found, shares)
  })
}

test('of nothing there are no shares', () => assert.deepEqual(sharesOf([0, 0]), ['', '']))
