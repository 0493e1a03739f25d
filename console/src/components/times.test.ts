import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeTime } from './times.ts'

test('a time that is to come never reads as past', () => {
  const now = Date.parse('2026-11-22T08:37:00.000Z')
  const cases: readonly (readonly [string, string])[] = [
    ['2026-11-22T09:37:00.000Z', 'in 1 h'],
    ['2026-11-23T08:36:00.000Z', 'in 23 h'],
    ['2026-11-23T08:37:00.000Z', 'Mon 08:37'],
    ['2026-11-28T23:59:00.000Z', 'Sat 23:59'],
    ['2026-11-29T00:01:00.000Z', 'Sun 29 Nov, 00:01'],
    ['2026-11-29T07:52:00.000Z', 'Sun 29 Nov, 07:52'],
    ['2026-11-29T08:37:00.000Z', 'Sun 29 Nov, 08:37'],
    ['2026-11-29T23:59:00.000Z', 'Sun 29 Nov, 23:59'],
    ['2026-11-30T00:01:00.000Z', '30 Nov'],
    ['2027-11-28T07:52:00.000Z', '28 Nov 2027'],
    ['2026-11-22T08:36:55.000Z', 'just now'],
    ['2026-11-15T08:38:00.000Z', '6 d ago'],
    ['2026-11-15T08:37:00.000Z', '15 Nov'],
  ]
  for (const [time, expected] of cases) assert.equal(relativeTime(time, now), expected, time)
})
