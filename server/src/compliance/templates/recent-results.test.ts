import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recentResults } from './recent-results.ts'

test('what was asked lately is not made again, and a failure is as good as an answer', () => {
  const recent = recentResults()
  let made = 0
  const make = () => `made ${++made}`
  assert.deepEqual([recent('a', make), recent('b', make), recent('a', make)], ['made 1', 'made 2', 'made 1'])
  const fails = () => {
    made += 1
    throw new Error('no')
  }
  assert.throws(() => recent('c', fails), /no/)
  assert.throws(() => recent('c', fails), /no/)
  assert.equal(made, 3)
})

test('what was asked longest ago goes first, and what is very large is not kept', () => {
  const recent = recentResults()
  let made = 0
  const ask = (key: string, size: number) =>
    recent(key, () => {
      made += 1
      return 'x'.repeat(size)
    })
  for (const key of ['a', 'b', 'c', 'd']) ask(key, 900_000)
  ask('a', 900_000)
  ask('e', 900_000)
  assert.equal(made, 5)
  ask('a', 900_000)
  assert.equal(made, 5)
  ask('b', 900_000)
  assert.equal(made, 6)
  ask('huge', 2_000_000)
  ask('huge', 2_000_000)
  assert.equal(made, 8)
})
