import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareAnswers } from './share-answers.ts'

const limits = { atOnce: 8, ofSiteAtOnce: 5, longestMs: 60_000, asked: { burst: 10, perSecond: 1 } }
const now = { at: Date.parse('2026-11-20T10:00:00.000Z') }
const clock = () => new Date(now.at).toISOString()
const limited = { code: 'rate_limited' }

/** Takes places for a site, and tells which were broken off. */
function taker(share: ReturnType<typeof shareAnswers>, address: string) {
  const ended: number[] = []
  const giveBacks: (() => void)[] = []
  return {
    ended,
    take: () => void giveBacks.push(share.take(address, { end: () => void ended.push(giveBacks.length) })),
    giveBack: () => giveBacks.shift()?.(),
  }
}

test('a site has so many at once, and those that end make room', () => {
  const office = taker(shareAnswers(clock, limits), '203.0.113.1')
  for (let place = 0; place < 5; place += 1) office.take()
  assert.throws(office.take, limited)
  office.giveBack()
  office.take()
  assert.throws(office.take, limited)
})

test('networks of one IPv6 site share its places', () => {
  const share = shareAnswers(clock, limits)
  for (let place = 0; place < 5; place += 1) taker(share, `2001:db8:1:${place}::1`).take()
  assert.throws(taker(share, '2001:db8:1:ffff::1').take, limited)
  taker(share, '2001:db8:2::1').take()
})

test('where all are taken, a site with fewer gets the oldest of the one with most', () => {
  const share = shareAnswers(clock, limits)
  const [first, second, third] = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].map((address) => taker(share, address))
  assert.ok(first && second && third)
  for (let place = 0; place < 5; place += 1) first.take()
  for (let place = 0; place < 3; place += 1) second.take()
  third.take()
  third.take()
  // Three, three and two: nobody has two more than another.
  assert.deepEqual([first.ended.length, second.ended.length], [2, 0])
  assert.throws(third.take, limited)
  assert.throws(first.take, limited)
  // What was broken off gives its place back once.
  first.giveBack()
  first.giveBack()
  assert.throws(third.take, limited)
  first.giveBack()
  third.take()
})

test('a site that asks too often waits, and others do not', () => {
  const share = shareAnswers(clock, limits)
  for (let asked = 0; asked < 10; asked += 1) share.admit('203.0.113.1')
  assert.throws(() => share.admit('203.0.113.1'), limited)
  share.admit('203.0.113.2')
  now.at += 2_000
  share.admit('203.0.113.1')
})

test('an answer that takes too long is broken off, and one that has ended is not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const office = taker(shareAnswers(clock, limits), '203.0.113.1')
  office.take()
  t.mock.timers.tick(30_000)
  office.take()
  office.giveBack()
  t.mock.timers.tick(30_000)
  assert.deepEqual(office.ended, [])
  t.mock.timers.tick(30_000)
  assert.equal(office.ended.length, 1)
})
