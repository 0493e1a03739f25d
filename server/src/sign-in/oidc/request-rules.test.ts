import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aheadOf, faultOfTimes, isClockOff } from './request-rules.ts'

// A quarter of a second after a whole one, so that no claim is of this moment.
const nowMs = Date.parse('2026-11-20T10:00:00.250Z')
const seconds = Math.floor(nowMs / 1000)
const faultOf = (claims: object) => faultOfTimes(claims as never, nowMs)

test('a caller whose clock differs by five minutes at most is heard, whatever times it writes', () => {
  for (const off of [-299, -60, -1, 0, 0.5, 1, 2, 60, 300]) {
    const [iat, nbf, exp] = [seconds + off, seconds + off, seconds + off + 310]
    for (const claims of [{ iat }, { iat, nbf }, { iat, nbf, exp }, { nbf, exp: seconds + 60 }]) {
      assert.equal(faultOf(claims), undefined, JSON.stringify({ off, claims }))
    }
  }
})

test('a request that has ended counts for ten seconds more', () => {
  assert.equal(faultOf({ exp: seconds }), undefined)
  assert.equal(faultOf({ exp: seconds - 9 }), undefined)
  assert.deepEqual(faultOf({ exp: seconds - 10 }), { text: 'exp has passed 10 s ago by our clock', isOfClock: true })
  assert.equal(faultOf({ exp: seconds - 9.75 })?.isOfClock, true)
})

test('a fault says by how much the clocks differ, and whether they are its cause', () => {
  const cases: [claims: object, text: string, isOfClock: boolean][] = [
    [{ iat: seconds + 301, exp: seconds + 400 }, 'iat is 301 s ahead of our clock, and may be 300 s', true],
    [{ iat: seconds - 300 }, 'iat is 300 s behind our clock, and may be 300 s', true],
    [{ iat: seconds, nbf: seconds + 901 }, 'nbf is 901 s ahead of our clock, and may be 300 s', true],
    [{}, 'the request needs iat or exp', false],
    [{ nbf: seconds }, 'the request needs iat or exp', false],
    [{ iat: seconds, exp: seconds + 601 }, 'exp must be at most 10 minutes after iat', false],
    [{ exp: seconds + 601 }, 'exp must be at most 10 minutes after iat', false],
    [{ iat: String(seconds) }, 'iat, nbf and exp must be numbers of seconds', false],
    [{ iat: seconds, nbf: null }, 'iat, nbf and exp must be numbers of seconds', false],
  ]
  for (const [claims, text, isOfClock] of cases) assert.deepEqual(faultOf(claims), { text, isOfClock })
})

test('the clock of a caller is told by when it made the request', () => {
  assert.equal(aheadOf({ iat: seconds + 2, nbf: seconds }, nowMs), 1_750)
  assert.equal(aheadOf({ iat: seconds - 30 }, nowMs), -30_250)
  // Which may be of any time that has passed.
  assert.equal(aheadOf({ nbf: 0, exp: seconds + 60 }, nowMs), undefined)
  assert.equal(aheadOf({ exp: seconds }, nowMs), undefined)
  assert.deepEqual([-30_250, -9_999, 0, 999, 1_000].map(isClockOff), [true, false, false, false, true])
})
