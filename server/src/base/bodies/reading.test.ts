import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { memoryShare } from './memory-share.ts'
import { type Outcome, startReading } from './reading.ts'

const pace = { graceMs: 60_000, minBytesPerSecond: 1, maxMs: 60_000 }

function openReading() {
  const share = memoryShare({ maxBytes: 1_000, maxPartyBytes: 1_000 })
  const outcomes: Outcome[] = []
  const message = new IncomingMessage(new Socket())
  const account = { share, party: 'one', pace }
  const reading = startReading({ message, account, onEnd: (outcome) => void outcomes.push(outcome) })
  return { share, reading, outcomes }
}

test('a body that is cut keeps its first bytes, however much comes, and holds no more memory', () => {
  const { share, reading, outcomes } = openReading()
  for (let count = 0; count < 100; count += 1) {
    reading.take(Buffer.alloc(30, count))
    if (reading.receivedBytes() > 100) reading.cut(100)
  }
  assert.equal(reading.receivedBytes(), 3_000)
  assert.equal(share.heldBytes(), 120, 'as many chunks as have come before it was cut')
  reading.finish()
  const [outcome, ...others] = outcomes
  assert.equal(others.length, 0)
  assert.ok(outcome?.kind === 'read' && outcome.isCut)
  assert.deepEqual(outcome.bytes, Buffer.concat([0, 1, 2, 3].map((count) => Buffer.alloc(30, count))).subarray(0, 100))
  assert.equal(share.heldBytes(), 120)
  outcome.release()
  assert.equal(share.heldBytes(), 0)
})

test('a body that fits is whole', () => {
  const { share, reading, outcomes } = openReading()
  reading.take(Buffer.from('ab'))
  reading.take(Buffer.from('c'))
  reading.finish()
  const [outcome] = outcomes
  assert.ok(outcome?.kind === 'read' && !outcome.isCut)
  assert.equal(outcome.bytes.toString(), 'abc')
  outcome.release()
  assert.equal(share.heldBytes(), 0)
})

test('a body that is cut and never ends gives its memory back when others need it', () => {
  const { share, reading, outcomes } = openReading()
  reading.take(Buffer.alloc(600))
  reading.cut(500)
  share.grow(share.open('two', 0, assert.fail), 600, performance.now())
  assert.deepEqual(outcomes, [{ kind: 'refused', why: 'busy' }])
  assert.equal(share.heldBytes(), 600)
  reading.finish()
  assert.equal(outcomes.length, 1)
})
