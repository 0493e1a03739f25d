import type { PostOutcome } from '../../../base/outbound/outbound.ts'
import { retryAfterMs } from '../../../base/outbound/read-answer.ts'
import { storable } from '../../../base/storable.ts'

/** What an attempt means for its event. */
export type Verdict =
  | { kind: 'accepted' }
  | { kind: 'rejected'; err: string; description: string }
  /** Neither accepted nor rejected: the event is sent again. */
  | { kind: 'held'; reason: string; retryAfterMs: number }

/** Errors of RFC 8935 §2.4 that speak of the sender's credentials and not of the event. */
const credentialErrors = new Set(['authentication_failed', 'access_denied'])

/**
 * Any 2xx accepts. Only a 400 that carries an error of RFC 8935 §2.3 rejects the event. Everything else says something
 * of the receiver, not of the event: a rotated credential or a moved address must not discard signals.
 */
export function judgeAnswer(outcome: PostOutcome, nowMs: number): Verdict {
  if (outcome.kind === 'failed') return { kind: 'held', reason: outcome.message, retryAfterMs: 0 }
  const { status, body, retryAfter } = outcome
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const error = status === 400 ? setErrorOf(body) : undefined
  if (error && !credentialErrors.has(error.err)) return { kind: 'rejected', ...error }
  const reason = error ? `The receiver answered 400 ${error.err}` : `The receiver answered ${status}`
  return { kind: 'held', reason, retryAfterMs: retryAfterMs(retryAfter, nowMs) }
}

function setErrorOf(body: Buffer): { err: string; description: string } | undefined {
  try {
    const { err, description } = JSON.parse(body.toString('utf8'))
    if (typeof err !== 'string' || !/^[\w.:-]{1,64}$/.test(err)) return undefined
    return { err, description: typeof description === 'string' ? storable(description, maximumDescription) : '' }
  } catch {
    return undefined
  }
}

const maximumDescription = 500
