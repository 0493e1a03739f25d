import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PostOutcome } from '../../../base/outbound/outbound.ts'
import { judgeAttempt } from './judge-attempt.ts'

const timings = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs: 0 }
const answered = (status: number, retryAfter?: string): PostOutcome => ({
  ...{ kind: 'answered', status, retryAfter, body: Buffer.alloc(0), timings },
})

test('any 2xx delivers, 410 ends, and some answers say that the receiver is down', () => {
  for (const status of [200, 202, 204, 299]) assert.deepEqual(judgeAttempt(answered(status), 0), { kind: 'delivered' })
  assert.deepEqual(judgeAttempt(answered(410), 0), { kind: 'gone', reason: 'The endpoint answered 410' })
  for (const [status, isDown] of [
    ...([301, 307, 400, 401, 404, 500] as const).map((code) => [code, false] as const),
    ...([429, 502, 503, 504] as const).map((code) => [code, true] as const),
  ]) {
    const reason = `The endpoint answered ${status}`
    assert.deepEqual(judgeAttempt(answered(status), 0), { kind: 'failed', reason, retryAfterMs: 0, isDown })
  }
  const message = 'The receiver did not answer in time'
  const late = { kind: 'failed', fault: 'timeout', message, mayHaveArrived: true, timings } as const
  assert.deepEqual(judgeAttempt(late, 0), { kind: 'failed', reason: message, retryAfterMs: 0, isDown: true })
})

test('a wait that is asked for is kept, for an hour at most', () => {
  const waits = ['120', 'Thu, 01 Jan 1970 00:02:00 GMT', '86400', 'soon'].map((value) => {
    const verdict = judgeAttempt(answered(503, value), 0)
    return verdict.kind === 'failed' && verdict.retryAfterMs
  })
  assert.deepEqual(waits, [120_000, 120_000, 3_600_000, 0])
})
