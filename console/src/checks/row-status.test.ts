import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultWords } from './check-words.ts'
import { byTrouble, rowStatusOf } from './row-status.ts'

const markOf = (status?: string) =>
  resultWords[rowStatusOf(status === undefined ? {} : { KOLIDE_CHECK_STATUS: status })].mark

test('a row has the sign of its status, and a tick only where it passes', () => {
  assert.equal(markOf('FAIL'), 'cross')
  assert.equal(markOf('PASS'), 'tick')
  assert.equal(markOf('UNKNOWN'), 'question')
  assert.equal(markOf('ERROR'), 'warning')
  assert.equal(markOf('INAPPLICABLE'), 'dash')
  for (const other of [undefined, '', 'pass', 'constructor']) assert.equal(markOf(other), 'question')
})

test('the rows that trouble most come first', () => {
  const rows = ['PASS', 'INAPPLICABLE', 'ERROR', 'UNKNOWN', 'FAIL'].map((status) => ({ KOLIDE_CHECK_STATUS: status }))
  const sorted = rows.toSorted((one, other) => byTrouble(rowStatusOf(one), rowStatusOf(other)))
  assert.deepEqual(
    sorted.map((row) => row.KOLIDE_CHECK_STATUS),
    ['FAIL', 'ERROR', 'UNKNOWN', 'PASS', 'INAPPLICABLE'],
  )
})
