import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeTime, isValid } from 'ulid'
import { messageIdAt } from './message-id.ts'

test('identifiers of one moment differ, in every letter behind the moment, and tell it', () => {
  const at = '2026-11-20T10:00:00.000Z'
  const count = 20_000
  const ids = Array.from({ length: count }, () => messageIdAt(at))
  assert.equal(new Set(ids).size, count)
  assert.ok(ids.every((id) => isValid(id) && decodeTime(id) === Date.parse(at)))
  for (let place = 10; place < 26; place += 1) {
    const counts = new Map<string, number>()
    for (const id of ids) counts.set(id.charAt(place), (counts.get(id.charAt(place)) ?? 0) + 1)
    assert.equal(counts.size, 32)
    const expected = count / 32
    // Seven times the standard deviation.
    for (const seen of counts.values()) assert.ok(Math.abs(seen - expected) < 7 * Math.sqrt(expected), `${seen}`)
  }
})
