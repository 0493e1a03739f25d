import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForEvents, type LogEntry, linesOf, type Outcome, readOutcome, summarize } from './results.ts'

const log: LogEntry[] = [
  { src: 'Start', result: 'INFO', msg: 'began' },
  { src: 'CheckIssuer', result: 'SUCCESS', msg: 'equal' },
  { src: 'CheckStatus', result: 'FAILURE', msg: 'Expected 400, got 422', requirements: ['OIDSSF-8.1.1.1'] },
  { src: 'CheckStatus', result: 'FAILURE', msg: 'Expected 400, got 422', requirements: ['OIDSSF-8.1.1.1'] },
  { src: 'CheckAudience', result: 'WARNING', msg: 'Not of the stream', error: 'a is not b' },
]

test('a module is read as its result, its successful conditions, and what failed or warned, each once', () => {
  assert.deepEqual(readOutcome('verification', { status: 'FINISHED', result: 'FAILED' }, log), {
    module: 'verification',
    result: 'FAILED',
    passed: 1,
    remarks: [
      'FAILURE CheckStatus: Expected 400, got 422 (OIDSSF-8.1.1.1)',
      'WARNING CheckAudience: Not of the stream: a is not b',
    ],
  })
})

test('what was interrupted, has no result or an unknown one has failed, and says how it ended', () => {
  for (const info of [
    { status: 'INTERRUPTED', result: 'PASSED' },
    { status: 'RUNNING', result: null },
    { status: 'FINISHED', result: 'UNKNOWN' },
    { status: 'FINISHED' },
  ]) {
    const { result, remarks } = readOutcome('m', info, [])
    const ended = `it ended as ${info.status} with the result ${info.result ?? 'none'}`
    assert.deepEqual([result, remarks], ['FAILED', [ended]])
  }
})

test('a skipped module says why, and others do not repeat that they ran', () => {
  const ends: LogEntry[] = [
    { src: 'm', result: 'SKIPPED', msg: 'The test was skipped: no such endpoint' },
    { src: 'm', result: 'FINISHED', msg: 'Test has run to completion' },
  ]
  const skipped = readOutcome('m', { status: 'FINISHED', result: 'SKIPPED' }, ends)
  assert.deepEqual(skipped.remarks, ['SKIPPED m: The test was skipped: no such endpoint'])
  assert.deepEqual(readOutcome('m', { status: 'FINISHED', result: 'PASSED' }, ends.slice(1)).remarks, [])
})

test('events are made once the module says which it expects', () => {
  assert.equal(asksForEvents(log), false)
  assert.equal(asksForEvents([...log, { msg: 'Trigger them now', expected_caep_event_types: ['change'] }]), true)
})

test('a line for each module, and below it what there is to say', () => {
  const one: Outcome = { module: 'metadata', result: 'PASSED', passed: 1, remarks: [] }
  assert.deepEqual(linesOf(one), ['PASSED   metadata (1 condition)'])
  assert.deepEqual(linesOf({ ...one, result: 'WARNING', passed: 2, remarks: ['WARNING A: b'] }), [
    'WARNING  metadata (2 conditions)',
    '         WARNING A: b',
  ])
})

test('a run is good when something ran and nothing failed', () => {
  const of = (...results: Outcome['result'][]) =>
    summarize(
      results.map((result) => ({ module: 'm', result, passed: 0, remarks: [] })),
      0,
    )
  assert.deepEqual(of('PASSED', 'SKIPPED', 'PASSED', 'WARNING'), {
    isGood: true,
    line: '4 modules: 2 passed, 1 skipped, 1 warning',
  })
  assert.deepEqual(of('PASSED', 'FAILED'), { isGood: false, line: '2 modules: 1 passed, 1 failed' })
  assert.equal(of().isGood, false)
  assert.equal(summarize([], 2).line, '0 modules: plans not run: 2')
})

test('what was to fail by an error fails no run when it does, and does when it passes or fails otherwise', () => {
  const expected = { reason: 'it has no session', error: 'interaction_required' }
  const failure = (error: string): LogEntry => ({ src: 'Check', result: 'FAILURE', msg: 'an error came', error })
  const failed = (...entries: LogEntry[]) =>
    readOutcome('m', { status: 'INTERRUPTED', result: 'FAILED' }, entries, expected)

  const asExpected = failed(failure('interaction_required'))
  assert.equal(linesOf(asExpected)[1], '         Failed as expected: it has no session')
  assert.deepEqual(summarize([asExpected], 0), { isGood: true, line: '1 modules: 1 failed, 1 of them as expected' })

  const passed = readOutcome('m', { status: 'FINISHED', result: 'PASSED' }, [], expected)
  const withAnother = failed(failure('interaction_required'), failure('server_error'))
  for (const other of [passed, failed(), failed(failure('server_error')), withAnother]) {
    assert.equal(linesOf(other)[1], '         Expected to fail with interaction_required: it has no session')
    assert.equal(summarize([other], 0).isGood, false)
  }
  assert.equal(summarize([withAnother], 0).line, '1 modules: 1 failed')
})
