import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movesInWords, releasedInWords } from './moves-in-words.ts'

test('one device moves, several move', () => {
  assert.equal(
    movesInWords({ blocked: 1, will_block: 1, notified: 1, good: 1 }),
    '1 device becomes Blocked, 1 device moves to Will Block with a deadline, 1 device moves to Notified, 1 device becomes Good',
  )
  assert.equal(
    movesInWords({ blocked: 0, will_block: 2, notified: 0, good: 1_200 }),
    '2 devices move to Will Block with a deadline, 1,200 devices become Good',
  )
  assert.equal(movesInWords({ blocked: 0, will_block: 0, notified: 0, good: 0 }), '')
  assert.equal(releasedInWords(1), '1 device that is blocked today is released.')
})
