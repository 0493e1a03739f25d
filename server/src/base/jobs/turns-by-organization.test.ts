import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsByOrganization } from './turns-by-organization.ts'

const present = () => false
const busy = { why: 'busy' }

function turnsOf(limits: Partial<Parameters<typeof turnsByOrganization>[0]> = {}) {
  const refusals: string[] = []
  const standard = { atOnce: 1, maxWaiting: 2, maxWaitingOfOne: 2, maxWaitMs: 60_000 }
  const turns = turnsByOrganization({ ...standard, ...limits }, (why) => {
    refusals.push(why)
    return Object.assign(new Error('No turn'), { why })
  })
  const began: string[] = []
  /** Work that continues until it is let go. */
  const begin = (name: string, isGone = present, organizationId = '1') => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const outcome = turns.take({ organizationId, isGone }, () => {
      began.push(name)
      return promise
    })
    outcome.catch(() => {})
    return { outcome, end: () => resolve(name) }
  }
  return { turns, refusals, began, begin }
}

test('machines begin in the order in which they come, so many at a time', async () => {
  const { began, begin } = turnsOf({ atOnce: 2 })
  const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map((name) => begin(name))
  assert.deepEqual(began, ['first', 'second'])
  second?.end()
  assert.equal(await second?.outcome, 'second')
  assert.deepEqual(began, ['first', 'second', 'third'])
  for (const one of [first, third, fourth]) one?.end()
  assert.equal(await fourth?.outcome, 'fourth')
  assert.deepEqual(began, ['first', 'second', 'third', 'fourth'])
})

test('a request that waits too long is refused, and so is one more than may wait', async () => {
  const { began, refusals, begin } = turnsOf({ maxWaitMs: 20 })
  const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map((name) => begin(name))
  await assert.rejects(async () => fourth?.outcome, busy)
  assert.deepEqual(refusals, ['busy'])
  await assert.rejects(async () => second?.outcome, busy)
  await assert.rejects(async () => third?.outcome, busy)
  first?.end()
  await first?.outcome
  const fifth = begin('fifth')
  assert.deepEqual(began, ['first', 'fifth'])
  fifth.end()
  assert.equal(await fifth.outcome, 'fifth')
})

test('organizations take turns, so that a flood of one costs another no more than a turn', async () => {
  const { began, refusals, begin } = turnsOf({ maxWaiting: 10, maxWaitingOfOne: 3 })
  const flood = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => begin(name))
  const others = ['b1', 'b2'].map((name) => begin(name, present, '2'))
  await assert.rejects(async () => flood[4]?.outcome, busy)
  for (const one of [...flood, ...others]) one.end()
  await Promise.allSettled([...flood, ...others].map(({ outcome }) => outcome))
  assert.deepEqual([began, refusals], [['a1', 'a2', 'b1', 'a3', 'b2', 'a4'], ['busy']])
})

test('whose agent has hung up is passed by', async () => {
  const { began, refusals, begin } = turnsOf()
  const first = begin('first')
  const gone = begin('gone', () => true)
  const last = begin('last')
  first.end()
  await assert.rejects(gone.outcome, { why: 'gone' })
  last.end()
  assert.equal(await last.outcome, 'last')
  assert.deepEqual([began, refusals], [['first', 'last'], ['gone']])
})

test('a failure ends its turn', async () => {
  const { turns } = turnsOf()
  await assert.rejects(
    turns.take({ organizationId: '1', isGone: present }, async () => Promise.reject(new Error('no database'))),
    /no database/,
  )
  assert.equal(await turns.take({ organizationId: '1', isGone: present }, async () => 'next'), 'next')
})

test('a stop refuses those who wait, and ends when those who have begun are done', async () => {
  const { turns, began, begin } = turnsOf()
  const first = begin('first')
  const second = begin('second')
  let isStopped = false
  const stopping = turns.stop().then(() => {
    isStopped = true
  })
  await assert.rejects(second.outcome, busy)
  await assert.rejects(begin('third').outcome, busy)
  assert.equal(isStopped, false)
  first.end()
  await stopping
  assert.deepEqual(began, ['first'])
  await turns.stop()
})
