import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openSecrets } from '../../base/secrets/secrets.ts'
import { failureBudget } from './failure-budget.ts'
import { makeNodeKey, originOf } from './node-key.ts'
import { rememberFor } from './remember-for.ts'

const start = Date.parse('2026-01-05T08:00:00.000Z')

function turnedClock() {
  let nowMs = start
  return {
    clock: () => new Date(nowMs).toISOString(),
    pass(ms: number): void {
      nowMs += ms
    },
  }
}

test('a budget of failures is spent by its own network alone, and comes back with time', () => {
  const { clock, pass } = turnedClock()
  const budget = failureBudget({ burst: 3, perSecond: 1 }, clock)
  for (let failures = 0; failures < 3; failures += 1) {
    assert.ok(!budget.isSpent('192.0.2.1'))
    budget.spend('192.0.2.1')
  }
  assert.ok(budget.isSpent('192.0.2.1'))
  assert.ok(!budget.isSpent('192.0.2.2'))
  pass(1_000)
  assert.ok(!budget.isSpent('192.0.2.1'))
  budget.spend('192.0.2.1')
  assert.ok(budget.isSpent('192.0.2.1'))
  for (let failures = 0; failures < 100; failures += 1) budget.spend('192.0.2.1')
  pass(2_001)
  assert.ok(!budget.isSpent('192.0.2.1'), 'failures beyond the budget are not held against anyone')
})

test('what is remembered is forgotten in time, and the oldest first', () => {
  const { clock, pass } = turnedClock()
  const remembered = rememberFor<number>({ lifeMs: 1_000, maxSize: 2 }, clock)
  remembered.note('one', 1)
  pass(500)
  remembered.note('two', 1)
  remembered.note('one', 1)
  assert.deepEqual([remembered.get('one'), remembered.get('two')], [1, 1])
  remembered.note('three', 1)
  assert.deepEqual([remembered.get('one'), remembered.get('two'), remembered.get('three')], [1, undefined, 1])
  pass(1_000)
  assert.equal(remembered.get('three'), undefined)
})

test('a node key says who made it', () => {
  const [ours, theirs] = [openSecrets(randomBytes(32)), openSecrets(randomBytes(32))]
  const key = makeNodeKey(ours)
  assert.match(key, /^[\w-]{43}$/)
  assert.equal(originOf(ours, key), 'own')
  assert.equal(originOf(theirs, key), 'unknown')
  assert.equal(originOf(ours, randomBytes(32).toString('base64url')), 'unknown', 'as Muster 0.1 made them')
  assert.equal(originOf(ours, `${key}x`), 'foreign')
  assert.equal(originOf(ours, ''), 'foreign')
})
