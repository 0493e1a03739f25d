import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSummaries, endsWithSummary, summaryLines } from './summary-lines.ts'

const names = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms']
const summary = names.map((name, index) => `ℹ ${name} ${index}`)

test('the summary of the last run is found, coloured or not', () => {
  const coloured = summary.map((line) => `\u001b[34m${line}\u001b[39m`)
  assert.deepEqual(summaryLines(['ℹ tests 900', '✔ a title', ...summary, ''].join('\n')), summary)
  assert.deepEqual(summaryLines([...summary, '✔ a title', ...coloured].join('\n')), coloured)
  assert.deepEqual(summaryLines('ℹ tests are a word of a diagnostic\n'), [])
})

test('a run that lists its failures after the summary does not end with it', () => {
  assert.equal(endsWithSummary(`${summary.join('\n')}\n\n`), true)
  assert.equal(endsWithSummary(`${summary.join('\n')}\n\n✖ failing tests:\n  at line 3\n`), false)
})

test('what failed and passed when it ran again has not failed', () => {
  const lines = (...counts: number[]) => names.map((name, index) => `ℹ ${name} ${counts[index]}`)
  const first = lines(90, 8, 87, 2, 1, 0, 0, 500.5)
  const again = lines(4, 1, 4, 0, 0, 0, 0, 20)
  assert.deepEqual(addSummaries(first, again, true), lines(94, 9, 91, 0, 0, 0, 0, 520.5))
  const failedAgain = lines(4, 1, 3, 1, 0, 0, 0, 20)
  assert.deepEqual(addSummaries(first, failedAgain, false), lines(94, 9, 90, 3, 1, 0, 0, 520.5))
})
