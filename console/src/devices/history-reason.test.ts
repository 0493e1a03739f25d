import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { reasonsOf } from './history-reason.ts'

const blocked: DeviceHistoryEntry = {
  id: '1',
  occurred_at: '2026-11-14T09:14:00.000Z',
  kind: 'state',
  from: 'good',
  to: 'blocked',
  initiator: 'admin',
  reasons: [],
  entries: [],
  check: null,
  changes: [],
}
const entry = {
  ...{ id: '9', description: 'Updated the configuration of the check "Disk": paused.', actor_name: 'Pat' },
  strategy: null,
}
const strategy = { ...entry, id: '8', actor_name: 'Kim', strategy: 'block_immediately' } as const
const check = { id: '2', name: 'Disk' }
const issue = { what: 'resolved', issue_id: '3', title: 'Disk is not encrypted' } as const

const cases: [given: Partial<DeviceHistoryEntry>, words: string][] = [
  [{ entries: [entry] }, 'Updated the configuration of the check "Disk": paused, by Pat'],
  [{ entries: [entry], check }, 'Updated the configuration of the check "Disk": paused, by Pat'],
  [{ entries: [strategy], check }, 'Kim set “Disk” to Block immediately'],
  [{ entries: [strategy] }, 'Updated the configuration of the check "Disk": paused, by Kim'],
  [
    { entries: [entry, strategy], check },
    'Updated the configuration of the check "Disk": paused, by Pat · Kim set “Disk” to Block immediately',
  ],
  [{ check }, 'The check “Disk” changed'],
  [{ reasons: [issue] }, 'Disk is not encrypted resolved'],
  [
    { reasons: [issue], entries: [entry] },
    'Disk is not encrypted resolved · Updated the configuration of the check "Disk": paused, by Pat',
  ],
  [{}, 'The audit log has no entry of what caused this'],
  [{ initiator: 'policy' }, 'Grace period ended'],
  [
    { initiator: 'policy', entries: [{ ...entry, actor_name: 'Muster' }] },
    `${entry.description.slice(0, -1)}, by Muster`,
  ],
  [{ initiator: 'system' }, ''],
]

for (const [given, words] of cases) {
  test(`a change of state with ${Object.keys(given).join(', ') || 'nothing known'} says: ${words}`, () => {
    const parts = reasonsOf({ ...blocked, ...given })
    assert.equal(parts.map(({ text }) => text).join(' · '), words)
  })
}

test('each entry leads to the audit log, a check without one to its history, and an issue nowhere', () => {
  const leads = (given: Partial<DeviceHistoryEntry>) =>
    reasonsOf({ ...blocked, ...given }).map(({ entryId, checkId }) => [entryId, checkId])
  assert.deepEqual(leads({ reasons: [issue], entries: [entry, strategy], check }), [
    [undefined, undefined],
    ['9', undefined],
    ['8', undefined],
  ])
  assert.deepEqual(leads({ check }), [[undefined, '2']])
})
