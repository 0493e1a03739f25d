import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openQueue, type Waiting } from './endpoint-queue.ts'
import type { Verdict } from './judge-attempt.ts'

const delivered: Verdict = { kind: 'delivered' }
const down: Verdict = { kind: 'failed', reason: 'The endpoint answered 503', retryAfterMs: 0, isDown: true }
const refused: Verdict = { kind: 'failed', reason: 'The endpoint answered 500', retryAfterMs: 0, isDown: false }
const hour = 3_600_000

const waiting = (id: string, columns: Partial<Waiting> = {}): Waiting => ({
  ...{ id, messageId: id, body: '{}', event: 'issues.new', isOrdered: false },
  ...{ attempts: 0, extraAttempts: 0, nextAttemptMs: 0, ...columns },
})

const opened = (inherited?: Parameters<typeof openQueue>[0]) => openQueue(inherited, () => 0.5)

/** Reads as the database would answer, and sends everything that may be sent at `nowMs`. */
function sendAll(queue: ReturnType<typeof opened>, rows: readonly Waiting[], nowMs: number): string[] {
  const asked = queue.want(nowMs, 256)
  if (asked) {
    const due = rows.filter(({ id, nextAttemptMs }) =>
      asked.after === undefined ? nextAttemptMs <= nowMs : Number(id) > Number(asked.after),
    )
    const held = new Set(asked.except)
    queue.take(due.filter(({ id }) => !held.has(id)).slice(0, asked.room), asked, undefined)
  }
  const sent: Waiting[] = []
  for (let next = queue.next(nowMs); next; next = queue.next(nowMs)) sent.push(next)
  under = sent
  return sent.map(({ id }) => id)
}
let under: Waiting[] = []

const finish = (queue: ReturnType<typeof opened>, verdict: Verdict, startedAtMs: number, nowMs: number) =>
  under.map((delivery) => {
    const settled = queue.answered(delivery, verdict, startedAtMs, nowMs)
    queue.written(delivery, settled)
    return settled
  })

test('eight are under way at a time, and the rest follow', () => {
  const queue = opened()
  const rows = Array.from({ length: 20 }, (_, index) => waiting(String(index + 1)))
  assert.equal(sendAll(queue, rows, 1_000).length, 8)
  assert.equal(sendAll(queue, rows, 1_000).length, 0)
  const first = queue.answered(waiting('1'), delivered, 1_000, 1_010)
  queue.written(waiting('1'), first)
  assert.deepEqual(sendAll(queue, rows, 1_010), ['9'])
})

test('while the log cannot be written, no more than 128 are sent', () => {
  const queue = opened()
  const rows = Array.from({ length: 200 }, (_, index) => waiting(String(index + 1)))
  let sent = 0
  while (sendAll(queue, rows, 1_000).length > 0) {
    sent += under.length
    for (const delivery of under) queue.answered(delivery, delivered, 1_000, 1_001)
  }
  assert.equal(sent, 128)
})

test('each attempt in its time uses up the schedule, and the tenth is the last', () => {
  const queue = opened()
  let row = waiting('1')
  const waits: (number | undefined)[] = []
  for (let nowMs = 0; row.attempts < 10; nowMs = row.nextAttemptMs) {
    queue.notice()
    assert.deepEqual(sendAll(queue, [row], nowMs), ['1'])
    const [settled] = finish(queue, refused, nowMs, nowMs)
    assert.ok(settled && !settled.isExtra)
    waits.push(settled.nextAttemptMs === undefined ? undefined : settled.nextAttemptMs - nowMs)
    row = { ...row, attempts: row.attempts + 1, nextAttemptMs: settled.nextAttemptMs ?? nowMs }
    assert.equal(settled.state, row.attempts === 10 ? 'failed' : 'pending')
  }
  const [s, m] = [1_000, 60_000]
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * hour)
  assert.deepEqual(waits, [5 * s, 5 * m, 30 * m, ...hours, undefined])
})

test('an endpoint that is down is probed with the oldest, and has everything once it is back', () => {
  const queue = opened()
  const rows = [waiting('1'), waiting('2'), waiting('3')].map((row) => ({ ...row, nextAttemptMs: 0 }))
  assert.equal(sendAll(queue, rows, 0).length, 3)
  const after = finish(queue, down, 0, 100)
  const failed = rows.map((row, index) => ({ ...row, attempts: 3, nextAttemptMs: after[index]?.nextAttemptMs ?? 0 }))
  for (const row of failed) row.nextAttemptMs = hour
  assert.deepEqual(queue.trouble(), { sinceMs: 100, reason: 'The endpoint answered 503', probeAtMs: 2_100 })
  assert.deepEqual(sendAll(queue, failed, 1_000), [], 'nothing is due')
  assert.deepEqual(sendAll(queue, failed, 2_100), ['1'], 'the oldest is the probe')
  const [probe] = finish(queue, down, 2_100, 2_200)
  assert.deepEqual(probe, { state: 'pending', nextAttemptMs: hour, isExtra: true })
  assert.deepEqual(queue.trouble()?.probeAtMs, 4_200)
  assert.deepEqual(sendAll(queue, failed, 4_200), ['1'])
  assert.deepEqual(finish(queue, delivered, 4_200, 4_300)[0]?.state, 'delivered')
  assert.equal(queue.trouble(), undefined)
  assert.deepEqual(sendAll(queue, failed.slice(1), 4_300), ['2', '3'], 'all that waits goes at once')
  finish(queue, delivered, 4_300, 4_400)
  sendAll(queue, [], 4_400)
  assert.ok(queue.isIdle(hour))
})

test('while an endpoint is down what is due goes one by one', () => {
  const queue = opened({ sinceMs: 0, reason: '', probeAtMs: hour })
  const rows = [waiting('1'), waiting('2'), waiting('3')]
  assert.deepEqual(sendAll(queue, rows, 1_000), ['1'])
  finish(queue, down, 1_000, 1_100)
  assert.deepEqual(sendAll(queue, rows.slice(1), 1_100), ['2'])
})

test('one message that always fails is not probed with, and does not make the endpoint fail', () => {
  const queue = opened()
  const [poison, other] = [waiting('1'), waiting('2')]
  sendAll(queue, [poison, other], 0)
  queue.written(other, queue.answered(other, delivered, 0, 50))
  const settled = queue.answered(poison, down, 0, 60)
  queue.written(poison, settled)
  assert.equal(queue.trouble(), undefined)
  assert.deepEqual(settled, { state: 'pending', nextAttemptMs: 5_060, isExtra: false })
})

test('an endpoint that refuses what it gets is failing, and is not asked more often for that', () => {
  const queue = opened()
  sendAll(queue, [waiting('1')], 0)
  finish(queue, refused, 0, 10)
  assert.deepEqual(queue.trouble(), { sinceMs: 10, reason: 'The endpoint answered 500', probeAtMs: undefined })
  assert.deepEqual(sendAll(queue, [waiting('1', { nextAttemptMs: hour })], 60_000), [])
})

test('a wait that the receiver asks for holds for everything', () => {
  const queue = opened()
  const rows = [waiting('1'), waiting('2')]
  assert.equal(sendAll(queue, [waiting('1')], 0).length, 1)
  const [settled] = finish(queue, { ...down, retryAfterMs: 120_000 } as Verdict, 0, 0)
  assert.equal(settled?.nextAttemptMs, 120_000)
  queue.notice()
  assert.deepEqual(sendAll(queue, rows, 119_999), [])
  assert.deepEqual(sendAll(queue, rows, 120_000), ['1'])
})

test('410 ends the delivery, whatever is left of its schedule', () => {
  const queue = opened()
  sendAll(queue, [waiting('1')], 0)
  const [settled] = finish(queue, { kind: 'gone', reason: 'The endpoint answered 410' }, 0, 10)
  assert.equal(settled?.state, 'failed')
})

test('an endpoint that was changed is tried at once with all that waits, and its troubles stay unless it is elsewhere', () => {
  const rows = ['1', '2', '3'].map((id) => waiting(id, { attempts: 4, nextAttemptMs: hour }))
  const queue = opened({ sinceMs: 0, reason: 'No answer', probeAtMs: hour })
  assert.deepEqual(sendAll(queue, rows, 1_000), [], 'nothing is due')
  queue.clear({ isElsewhere: false })
  assert.deepEqual(sendAll(queue, rows, 1_000), ['1'], 'one at a time while it is down')
  assert.deepEqual(finish(queue, down, 1_000, 1_100), [{ state: 'pending', nextAttemptMs: hour, isExtra: true }])
  assert.equal(queue.trouble()?.sinceMs, 0)
  assert.deepEqual(sendAll(queue, rows, 1_200), [], 'and not again for that')
  queue.clear({ isElsewhere: true })
  assert.equal(queue.trouble(), undefined)
  assert.deepEqual(sendAll(queue, rows, 1_300), ['1', '2', '3'])
})

test('more is read once no more than half of what may be held is left, and at once when nothing is', () => {
  const queue = opened()
  const asked = queue.want(0, 20)
  assert.deepEqual(asked, { room: 20, except: [], after: undefined })
  if (!asked) return
  queue.take(
    Array.from({ length: 20 }, (_, index) => waiting(String(index + 1))),
    asked,
    undefined,
  )
  for (let done = 1; done <= 20; done += 1) {
    const delivery = queue.next(0)
    assert.ok(delivery)
    queue.written(delivery, queue.answered(delivery, delivered, 0, 1))
    assert.equal(queue.want(1, 20)?.room, done < 10 ? undefined : done)
  }
})
