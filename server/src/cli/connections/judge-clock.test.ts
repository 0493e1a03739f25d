import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFinding } from '../doctor/finding.ts'
import { judgeClock } from './judge-clock.ts'

test('a clock that is off by a second or more is a warning, and less is told as it is', () => {
  const said = [300, -900, 2_000, 61_234, -30_300].map((aheadMs) => describeFinding(judgeClock(aheadMs)))
  assert.deepEqual(said, [
    "✓ clock of the caller: at least 0.3 s ahead of this server's",
    "✓ clock of the caller: agrees with this server's",
    "! clock of the caller: the caller's clock is at least 2 s ahead: set it by NTP. Requests may be 300 s ahead",
    "! clock of the caller: the caller's clock is at least 61.2 s ahead: set it by NTP. Requests may be 300 s ahead",
    "! clock of the caller: the caller's clock is 30.3 s behind, or its requests take as long: set it by NTP",
  ])
})
