import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeLabels, type DayFigures } from './day-figures.ts'
import { dayInWords, emptyChartInWords } from './day-words.ts'

const good = { blocked: 0, will_block: 0, notified: 0, good: 401, stale: 0, never: 0 }
const day = (figures: DayFigures['figures'], changed?: DayFigures['changed']): DayFigures => ({
  day: '2026-11-20',
  figures,
  changed,
})

test('a day names the sum of its problems unless there are none', () => {
  assert.equal(dayInWords(day(good)), 'Fri 20 Nov 2026: 0 blocked, 0 will block, 0 notified, 401 good')
  assert.match(
    dayInWords(day({ ...good, blocked: 3, notified: 2 })),
    /: 3 blocked, 0 will block, 2 notified, 5 together,/,
  )
})

test('where a chart would be empty, a sentence says why', () => {
  assert.match(emptyChartInWords([day(null), day({ ...good, blocked: 3 })]) ?? '', /^The chart begins tomorrow/)
  assert.match(emptyChartInWords([day(good), day(good)]) ?? '', /on any of the 2 days that are known\.$/)
  assert.equal(emptyChartInWords([day({ ...good, notified: 1 }), day(good)]), undefined)
})

test('of several changes on a day the label says how many, in words', () => {
  const change = { audit_log_id: '1', check_id: '2', check_name: 'FileVault is on', timestamp: '', description: '' }
  const labelOf = (more: number, room: number) =>
    changeLabels([day(good, { changes: [change], more }), ...Array.from({ length: room }, () => day(good))])[0]?.text
  assert.equal(labelOf(0, 20), 'FileVault is on')
  assert.equal(labelOf(30, 20), 'FileVault is on and 30 more')
  assert.equal(labelOf(30, 4), '31 changes')
  assert.equal(labelOf(30, 1), undefined)
})
