import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unusedBy } from './unused.ts'

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`
const now = Date.parse('2026-12-20T00:00:00.000Z')
const key = {
  ...{ id: '3', name: 'Tickets', responsible_administrator: 'Maya', created_at: day(1), last_used_at: null },
  ...{ expires_at: null, needs_review_since: null },
  permissions: { remove_devices: 'Why', manage_webhooks: 'Because', refresh_check: 'So' },
  permission_uses: { remove_devices: day(19), manage_webhooks: day(21) },
}

test('a permission is unused when no request has needed it for 30 days', () => {
  assert.deepEqual(unusedBy({ ...key, uses_recorded_since: day(1) }, now), ['remove_devices', 'refresh_check'])
})

test('nothing is said of permissions while uses are recorded for less than 30 days', () => {
  assert.deepEqual(unusedBy({ ...key, uses_recorded_since: day(21) }, now), [])
})
