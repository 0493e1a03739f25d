import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueStanding, type StandingIssue } from './issue-standing.ts'

const now = Date.parse('2026-11-20T10:00:00.000Z')
const told: StandingIssue = {
  resolved_at: null,
  exempted: false,
  blocks_at: null,
  strategy: 'notify_only',
  is_paused: false,
  is_held: false,
  owner: { id: '5', name: 'Ana Ruiz' },
}
const at = (hours: number) => new Date(now + hours * 3_600_000).toISOString()

test('only what an owner is told of is notified, and only what blocks blocks', () => {
  const cases: readonly (readonly [Partial<StandingIssue>, string])[] = [
    [{}, 'notified'],
    [{ strategy: 'report_only' }, 'report_only'],
    [{ is_paused: true }, 'paused'],
    [{ owner: null }, 'unowned'],
    [{ owner: null, strategy: 'report_only' }, 'report_only'],
    [{ exempted: true, strategy: 'block_immediately', blocks_at: at(-1) }, 'exempted'],
    [{ resolved_at: at(-1), strategy: 'report_only' }, 'resolved'],
    [{ strategy: 'warn_then_block', blocks_at: at(1) }, 'will_block'],
    [{ strategy: 'warn_then_block', blocks_at: at(0) }, 'blocking'],
    // Outside of the groups that the check may block, the owner is told.
    [{ strategy: 'warn_then_block' }, 'notified'],
    [{ strategy: 'block_immediately', is_held: true }, 'held'],
    // The day that was announced stands.
    [{ strategy: 'block_immediately', is_held: true, blocks_at: at(1) }, 'will_block'],
    // Not decided again yet, after the check was changed.
    [{ strategy: 'notify_only', blocks_at: at(-1) }, 'notified'],
    [{ strategy: 'report_only', blocks_at: at(-1) }, 'report_only'],
    [{ strategy: 'block_immediately', blocks_at: at(-1), is_paused: true }, 'paused'],
  ]
  for (const [change, expected] of cases) {
    assert.equal(issueStanding({ ...told, ...change }, now), expected, JSON.stringify(change))
  }
})
