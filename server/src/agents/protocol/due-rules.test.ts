import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hourMs } from '../../base/time.ts'
import { dueTime, fractionOf, nextTurnMs, type PlannedCheck, unansweredMs } from './due-rules.ts'

const startMs = Date.parse('2026-11-20T10:00:00.000Z')
const check: PlannedCheck = {
  checkId: '7',
  isUpgradedQuery: false,
  queryRevision: '2',
  intervalMs: hourMs,
  source: '',
  query: { json: '"select 1"' },
}
const ran = { checkId: '7', queryRevision: '2', ranAtMs: startMs, refreshRequestedAtMs: undefined, isDenied: false }

test('a check that never ran, or ran with another query, is due at once', () => {
  assert.equal(dueTime(check, { ...ran, queryRevision: null, ranAtMs: undefined }, undefined, '1').dueAtMs, 0)
  assert.equal(dueTime(check, { ...ran, queryRevision: '1' }, undefined, '1').dueAtMs, 0)
})

test('a query that an upgrade brought is due in its turn, and at once where nothing has run or someone asks', () => {
  const upgraded = { ...check, isUpgradedQuery: true }
  const turnMs = nextTurnMs(startMs, hourMs, '1', '7')
  const { dueAtMs, isUrgent } = dueTime(upgraded, { ...ran, queryRevision: '1' }, undefined, '1')
  assert.deepEqual([dueAtMs, isUrgent], [turnMs, false])
  assert.equal(dueTime(upgraded, { ...ran, queryRevision: null, ranAtMs: undefined }, undefined, '1').dueAtMs, 0)
  assert.equal(dueTime(upgraded, { ...ran, refreshRequestedAtMs: startMs + 1 }, undefined, '1').dueAtMs, 0)
})

test('a turn follows within a tenth and eleven tenths of the interval after any run', () => {
  for (let device = 1; device <= 2_000; device += 1) {
    const gapMs = nextTurnMs(startMs + device * 977, hourMs, String(device), '7') - (startMs + device * 977)
    assert.ok(gapMs >= 0.1 * hourMs && gapMs <= 1.1 * hourMs + 1, `device ${device}: ${gapMs} ms`)
  }
})

test('a device keeps its place: a run a minute late does not move the next turn', () => {
  for (let device = 1; device <= 200; device += 1) {
    const turnMs = nextTurnMs(startMs, hourMs, String(device), '7')
    assert.equal(nextTurnMs(turnMs + 60_000, hourMs, String(device), '7'), turnMs + hourMs)
  }
})

test('a fleet that ran together spreads evenly over the interval', () => {
  const devices = 20_000
  const minutes = new Array<number>(60).fill(0)
  for (let device = 1; device <= devices; device += 1) {
    const turnMs = nextTurnMs(startMs, hourMs, String(device), '7')
    const minute = Math.floor((turnMs / 60_000) % 60)
    minutes[minute] = (minutes[minute] ?? 0) + 1
  }
  const expected = devices / 60
  assert.ok(Math.max(...minutes) < expected * 1.3, `the fullest minute has ${Math.max(...minutes)} of ${expected}`)
  assert.ok(Math.min(...minutes) > expected * 0.7, `the emptiest minute has ${Math.min(...minutes)} of ${expected}`)
})

test('the checks of one device come due together, so that one write carries them', () => {
  const turns = Array.from({ length: 40 }, (_, index) => nextTurnMs(startMs, hourMs, '4711', String(index + 1)))
  const places = turns.map((turnMs) => (turnMs / hourMs) % 1)
  const widest = Math.max(...places) - Math.min(...places)
  assert.ok(widest < 0.011, `they lie within ${widest} of the interval`)
})

test('the fraction of a text is the same in every process', () => {
  assert.equal(fractionOf('1042').toFixed(9), '0.724915648')
})

test('a refresh is due at once unless a run, or a question under way, came after it', () => {
  const requested = startMs + 1_000
  const refreshed = { ...ran, refreshRequestedAtMs: requested }
  assert.deepEqual(
    [
      dueTime(check, refreshed, undefined, '1'),
      dueTime(check, { ...refreshed, ranAtMs: requested }, undefined, '1'),
      dueTime(check, refreshed, requested - 1, '1'),
      dueTime(check, refreshed, requested, '1'),
    ].map(({ dueAtMs, isUrgent }) => [isUrgent, dueAtMs]),
    [
      [true, 0],
      [false, nextTurnMs(requested, hourMs, '1', '7')],
      [true, 0],
      [true, requested + unansweredMs],
    ],
  )
})

test('a query that the agent refuses is asked alone, a day later or when someone waits for it', () => {
  const denied = { ...ran, isDenied: true }
  const { dueAtMs, isUrgent, goesAlone } = dueTime(check, denied, undefined, '1')
  assert.deepEqual([dueAtMs, isUrgent, goesAlone], [startMs + 24 * hourMs, false, true])
  const refreshed = dueTime(check, { ...denied, refreshRequestedAtMs: startMs + 1 }, undefined, '1')
  assert.deepEqual([refreshed.dueAtMs, refreshed.goesAlone], [0, true])
  const changed = dueTime(check, { ...denied, queryRevision: '1' }, undefined, '1')
  assert.deepEqual([changed.dueAtMs, changed.goesAlone], [0, false])
  const slow = { ...check, intervalMs: 48 * hourMs }
  assert.equal(dueTime(slow, denied, undefined, '1').dueAtMs, nextTurnMs(startMs, slow.intervalMs, '1', '7'))
})

test('a question without an answer is repeated after five minutes', () => {
  const never = { ...ran, queryRevision: null, ranAtMs: undefined }
  assert.equal(dueTime(check, never, startMs, '1').dueAtMs, startMs + 300_000)
})
