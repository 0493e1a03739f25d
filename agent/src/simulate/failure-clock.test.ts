import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailing } from './failure-clock.ts'

const minute = 60_000
const clock = { seed: 3, failRate: 0.1, periodMs: 30 * minute }

test('at any moment the failing share of a fleet is the rate', () => {
  for (const atMs of [0, 17 * minute, 5 * 60 * minute, 1000 * 60 * minute]) {
    let failing = 0
    for (let device = 0; device < 5000; device += 1) {
      for (let check = 1; check <= 10; check += 1) if (isFailing(clock, device, check, atMs)) failing += 1
    }
    assert.ok(Math.abs(failing / 50_000 - 0.1) < 0.006, `${failing} of 50,000 at ${atMs}`)
  }
})

test('a check flips once per period on average, and so every failure heals', () => {
  let flips = 0
  for (let device = 0; device < 50; device += 1) {
    let before = isFailing(clock, device, 1, 0)
    for (let atMs = 0; atMs <= 100 * clock.periodMs; atMs += 10_000) {
      const now = isFailing(clock, device, 1, atMs)
      if (now !== before) flips += 1
      before = now
    }
  }
  assert.ok(Math.abs(flips / (50 * 100) - 1) < 0.05, `${flips} flips`)
})

test('failures are those of the seed, the device and the check', () => {
  const pattern = (seed: number, check: number) =>
    Array.from({ length: 400 }, (_, step) => isFailing({ ...clock, seed }, 5, check, step * minute))
  assert.deepEqual(pattern(3, 1), pattern(3, 1))
  assert.notDeepEqual(pattern(3, 1), pattern(4, 1))
  assert.notDeepEqual(pattern(3, 1), pattern(3, 2))
})

test('a rate of 0 never fails and a rate of 1 always does', () => {
  for (let atMs = 0; atMs < 200 * minute; atMs += 7 * minute) {
    assert.equal(isFailing({ ...clock, failRate: 0 }, 1, 1, atMs), false)
    assert.equal(isFailing({ ...clock, failRate: 1 }, 1, 1, atMs), true)
  }
})
