import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Holding, memoryShare } from './memory-share.ts'

function openShare(maxBytes: number, maxPartyBytes: number) {
  const share = memoryShare({ maxBytes, maxPartyBytes })
  const givenUp: string[] = []
  const open = (name: string, party: string, startedAtMs = 0): Holding =>
    share.open(party, startedAtMs, () => void givenUp.push(name))
  return { share, givenUp, open }
}

test('when memory runs short, the party that holds most gives up what has cost most', () => {
  const { share, givenUp, open } = openShare(100, 100)
  share.grow(open('old and small', 'attacker', 0), 10, 0)
  share.grow(open('old and large', 'attacker', 0), 50, 0)
  share.grow(open('of someone else', 'victim', 0), 30, 0)
  const late = open('late', 'victim', 900)
  share.grow(late, 20, 1_000)
  assert.deepEqual(givenUp, ['old and large'])
  assert.equal(share.heldBytes(), 60)
})

test('a party does not hold more than its part, however much is free', () => {
  const { share, givenUp, open } = openShare(1_000, 100)
  share.grow(open('first', 'one', 0), 60, 0)
  share.grow(open('second', 'one', 10), 60, 20)
  assert.deepEqual(givenUp, ['first'])
  share.grow(open('of another', 'other', 10), 100, 20)
  assert.deepEqual(givenUp, ['first'])
})

test('a complete body is not given up: the one that grows is, and what is released is free again', () => {
  const { share, givenUp, open } = openShare(100, 100)
  const complete = open('complete', 'one')
  share.grow(complete, 90, 0)
  complete.giveUp = undefined
  const growing = open('growing', 'two')
  share.grow(growing, 20, 10)
  assert.deepEqual(givenUp, ['growing'])
  share.release(growing)
  assert.equal(share.heldBytes(), 90)
  share.release(complete)
  share.release(complete)
  assert.equal(share.heldBytes(), 0)
  share.grow(complete, 50, 20)
  assert.equal(share.heldBytes(), 0, 'what was released does not grow')
})
