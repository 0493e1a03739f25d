import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeReenrollment, type Reenrollments } from './reenrollment-rules.ts'

const start = Date.parse('2026-01-05T08:00:00.000Z')
const minute = (count: number) => new Date(start + count * 60_000).toISOString()

/** What becomes of enrollments at these minutes, each while another agent is in use. */
function follow(minutes: readonly number[]) {
  let state: Reenrollments | undefined
  let isInConflict = false
  return minutes.map((at) => {
    const verdict = judgeReenrollment(state, isInConflict, minute(at))
    state = verdict.next
    isInConflict ||= verdict.isNewConflict
    return verdict.isNewConflict ? 'conflict' : verdict.isRefused ? 'refused' : 'taken'
  })
}

const histories: [string, number[], string[]][] = [
  ['a laptop that enrolls again is taken', [0], ['taken']],
  ['twice in ten minutes is no fight', [0, 5], ['taken', 'taken']],
  ['nor is once in a while', [0, 9, 11, 22, 33, 44], ['taken', 'taken', 'taken', 'taken', 'taken', 'taken']],
  ['the third time in ten minutes is a conflict', [0, 1, 2], ['taken', 'taken', 'conflict']],
  ['what cools down is refused', [0, 1, 2, 3, 11.9], ['taken', 'taken', 'conflict', 'refused', 'refused']],
  ['after ten minutes one is taken', [0, 1, 2, 12, 13], ['taken', 'taken', 'conflict', 'taken', 'refused']],
  [
    'then after 20, 40, 60, and no longer than 60 minutes',
    [0, 1, 2, 12, 31, 32, 71, 72, 131, 132, 191, 192],
    [
      ...['taken', 'taken', 'conflict', 'taken', 'refused', 'taken', 'refused', 'taken'],
      ...['refused', 'taken', 'refused', 'taken'],
    ],
  ],
]
for (const [title, minutes, expected] of histories) {
  test(title, () => assert.deepEqual(follow(minutes), expected))
}

test('in a day two machines that enroll every three seconds change places at most 27 times', () => {
  const outcomes = follow(Array.from({ length: 28_800 }, (_, index) => index / 20))
  assert.ok(outcomes.filter((outcome) => outcome === 'taken').length <= 27)
  assert.equal(outcomes.filter((outcome) => outcome === 'conflict').length, 1)
})

test('refused enrollments are counted until one is taken', () => {
  let state: Reenrollments | undefined
  for (const at of [0, 1, 2, 3, 4]) state = judgeReenrollment(state, at > 2, minute(at)).next
  assert.equal(state?.refused, 3)
  assert.equal(judgeReenrollment(state, true, minute(12)).next.refused, 0)
})
