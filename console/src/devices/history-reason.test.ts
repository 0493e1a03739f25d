import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceHistoryEntry } from '@muster/contract/console-devices.ts'
import { reasonOf } from './history-reason.ts'

const blocked: DeviceHistoryEntry = {
  id: '1',
  occurred_at: '2026-11-14T09:14:00.000Z',
  kind: 'state',
  from: 'good',
  to: 'blocked',
  initiator: 'admin',
  reasons: [],
  entry: null,
  check: null,
  changes: [],
}
const entry = { id: '9', description: 'Updated the configuration of the check "Disk": paused.', actor_name: 'Pat' }
const issue = { what: 'resolved', issue_id: '3', title: 'Disk is not encrypted' } as const

const cases: [given: Partial<DeviceHistoryEntry>, words: string][] = [
  [{ entry }, 'Updated the configuration of the check "Disk": paused, by Pat'],
  [{ entry, check: { id: '2', name: 'Disk' } }, 'Updated the configuration of the check "Disk": paused, by Pat'],
  [{ check: { id: '2', name: 'Disk' } }, 'The check "Disk" changed'],
  [{ reasons: [issue] }, 'Disk is not encrypted resolved'],
  [
    { reasons: [issue], entry },
    'Disk is not encrypted resolved · Updated the configuration of the check "Disk": paused, by Pat',
  ],
  [{}, 'Registration, group or check changed'],
  [{ initiator: 'policy' }, 'Grace period ended'],
  [{ initiator: 'policy', entry: { ...entry, actor_name: 'Muster' } }, `${entry.description.slice(0, -1)}, by Muster`],
  [{ initiator: 'system' }, ''],
]

for (const [given, words] of cases) {
  test(`a change of state with ${Object.keys(given).join(', ') || 'nothing known'} says: ${words}`, () => {
    assert.equal(reasonOf({ ...blocked, ...given }), words)
  })
}
