import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultWords } from './check-words.ts'
import { byTrouble, reasonOfUnknown, rowStatusOf, settledByUpgrade } from './row-status.ts'

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

const unknown = (...rows: Record<string, string>[]) => ({
  status: 'unknown' as const,
  check_result_data: rows.map((row) => ({ KOLIDE_CHECK_STATUS: 'UNKNOWN', ...row })),
})

test('an unknown result gives its reason, and the newest osquery that any check needs', () => {
  assert.equal(
    reasonOfUnknown(unknown({ unknown_reason: 'Nobody is signed in.', needs_osquery: '5.23.0' })),
    'Nobody is signed in.',
  )
  assert.equal(reasonOfUnknown(unknown({}, { needs_osquery: '5.23.0' })), 'Needs osquery 5.23.0 or newer')
  assert.equal(reasonOfUnknown(unknown({ message: 'not collected: alf' })), 'not collected: alf')
  assert.equal(reasonOfUnknown(unknown({ needs_osquery: 'a newer one' })), '')
  const failing = { ...unknown({ needs_osquery: '6.0.0' }), status: 'failing' as const }
  const results = [unknown({ needs_osquery: '5.9.1' }), unknown({ needs_osquery: '5.14.0' }), unknown({}), failing]
  assert.deepEqual(settledByUpgrade(results), { checks: 2, version: '5.14.0' })
  assert.deepEqual(settledByUpgrade([]), { checks: 0, version: '' })
})
