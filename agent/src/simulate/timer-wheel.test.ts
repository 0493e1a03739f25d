import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTimerWheel } from './timer-wheel.ts'

test('events fire once, never early and at most a slot late, also beyond a turn of the wheel', () => {
  const wheel = createTimerWheel(1000, 20, 500, 64)
  const dueAt = new Map<number, number>()
  for (let event = 0; event < 1000; event += 1) {
    const dueMs = 500 + ((event * 7919) % 10_000)
    dueAt.set(event, dueMs)
    wheel.schedule(event, dueMs)
  }
  for (let nowMs = 500; nowMs <= 10_600; nowMs += 20) {
    wheel.advance(nowMs, (event, dueMs) => {
      assert.equal(dueAt.get(event), dueMs)
      assert.ok(dueMs <= nowMs && nowMs - dueMs <= 20, `due ${dueMs}, fired ${nowMs}`)
      dueAt.delete(event)
    })
  }
  assert.equal(dueAt.size, 0)
})

test('an event is scheduled at most once until it fires', () => {
  const wheel = createTimerWheel(2, 10, 0)
  wheel.schedule(1, 35)
  wheel.schedule(1, 5)
  assert.equal(wheel.isScheduled(1), true)
  const fired: number[] = []
  wheel.advance(30, (event) => fired.push(event))
  assert.equal(fired.length, 0)
  wheel.advance(100, (event) => fired.push(event))
  assert.deepEqual(fired, [1])
  assert.equal(wheel.isScheduled(1), false)
})

test('an event that is scheduled while others fire, even for a past moment, fires in the next slot', () => {
  const wheel = createTimerWheel(1, 10, 0)
  const fired: number[] = []
  wheel.schedule(0, 5)
  wheel.advance(60, (event, dueMs) => {
    fired.push(dueMs)
    if (fired.length < 3) wheel.schedule(event, 5)
  })
  assert.deepEqual(fired, [5, 5, 5])
})
