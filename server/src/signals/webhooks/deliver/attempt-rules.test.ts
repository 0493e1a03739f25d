import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayMs, probeDelayMs } from './attempt-rules.ts'

test('ten attempts take 75 hours and 35 minutes, give or take a fifth of each wait', () => {
  const waits = Array.from({ length: 9 }, (_, index) => delayMs(index + 1, 0.5) ?? Number.NaN)
  const sum = waits.reduce((total, wait) => total + wait, 0)
  assert.equal(Math.floor(sum / 60_000), 75 * 60 + 35)
  assert.equal(delayMs(10, 0.5), undefined)
  assert.deepEqual([delayMs(2, 0), delayMs(2, 1)], [240_000, 360_000])
})

test('what cannot be reached is probed less and less, and within two minutes of coming back after ten', () => {
  assert.equal(probeDelayMs(0), 2_000)
  assert.equal(probeDelayMs(600_000), 90_000)
  assert.equal(probeDelayMs(36_000_000), 5_400_000)
})
