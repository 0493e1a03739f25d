import type { PostOutcome } from '../../../base/outbound/outbound.ts'
import { retryAfterMs } from '../../../base/outbound/read-answer.ts'

/** What an attempt means for its delivery. */
export type Verdict =
  | { kind: 'delivered' }
  /** 410: the receiver is not there anymore, and never again. */
  | { kind: 'gone'; reason: string }
  /** `isDown`: what failed is the receiver and not this request, as far as can be seen. */
  | { kind: 'failed'; reason: string; retryAfterMs: number; isDown: boolean }

const downStatuses = new Set([429, 502, 503, 504])

/** Any 2xx delivers. Redirects are not followed, so they fail. */
export function judgeAttempt(outcome: PostOutcome, nowMs: number): Verdict {
  if (outcome.kind === 'failed') return { kind: 'failed', reason: outcome.message, retryAfterMs: 0, isDown: true }
  const { status, retryAfter } = outcome
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const reason = `The endpoint answered ${status}`
  if (status === 410) return { kind: 'gone', reason }
  return { kind: 'failed', reason, retryAfterMs: retryAfterMs(retryAfter, nowMs), isDown: downStatuses.has(status) }
}
