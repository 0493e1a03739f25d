import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConsoleSummary } from '@muster/contract/console-views.ts'
import { leadSentence, secondSentence } from './lead-sentence.ts'

const summary: ConsoleSummary = {
  standings: { blocked: 0, will_block: 0, notified: 0, good: 401, stale: 0, never: 0 },
  days: [],
  changes: [],
  blocking_within_24h: 0,
  late: 0,
  waiting_requests: 0,
  only_reporting: { checks: 27, devices_with_issues: 303 },
  next_to_block: [],
  failing_checks: [],
  many_registrations: [],
}

test('while checks only report, devices with an open issue are counted, not those that are Good', () => {
  assert.equal(leadSentence(summary), 'Nothing blocks: all 27 checks only report.')
  assert.equal(secondSentence(summary), '303 devices have an open issue. No requests are waiting.')
  const one = { ...summary, only_reporting: { checks: 27, devices_with_issues: 1 } }
  assert.equal(secondSentence(one), '1 device has an open issue. No requests are waiting.')
  const none = { ...summary, only_reporting: { checks: 27, devices_with_issues: 0 } }
  assert.equal(secondSentence(none), 'No device has an open issue. No requests are waiting.')
})

test('once a check does more, the share of Good devices is the one of the bar', () => {
  const standings = { ...summary.standings, blocked: 1, notified: 1, good: 4 }
  const said = secondSentence({ ...summary, standings, only_reporting: null })
  assert.equal(said, '4 of 6 reporting devices are Good (66.6\u2009%). No requests are waiting.')
})
