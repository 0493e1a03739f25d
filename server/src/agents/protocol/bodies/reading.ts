import type { IncomingMessage } from 'node:http'
import { type Answer, failure } from '../answers.ts'
import type { Pace } from './body-limits.ts'
import type { Holding, MemoryShare } from './memory-share.ts'
import type { ReadRate } from './read-rate.ts'

const busy = failure(503, 'The service is busy')
const tooSlow = failure(408, 'The body arrived too slowly')

export type Outcome =
  | { kind: 'read'; bytes: Buffer; release: () => void }
  /** It is longer than what is taken of a device that is known, and was read without keeping it. */
  | { kind: 'skipped' }
  | { kind: 'refused'; answer: Answer }
  | { kind: 'failed'; error: unknown }

/** A body that is being read. */
export type Reading = ReturnType<typeof startReading>

/** Which memory and time a body gets; `rate` is how fast it is read, as fast as it comes where it is undefined. */
export type Account = { share: MemoryShare; party: string; pace: Pace; rate?: ReadRate | undefined }
type Parts = { message: IncomingMessage; account: Account; lingerMs: number; onEnd: (outcome: Outcome) => void }

const nothing = Buffer.alloc(0)
const freeBytes = 64 * 1024

/**
 * Reads one body into a share of memory and calls `onEnd` once. The rest of a refused body is read and dropped for a
 * moment, since an agent reads no answer before it has sent everything; then its connection ends.
 */
export function startReading({ message, account, lingerMs, onEnd }: Parts) {
  const startedAtMs = performance.now()
  let { share, pace, rate } = account
  let chunks: Buffer[] = []
  let receivedBytes = 0
  let state: 'reading' | 'skipping' | 'over' = 'reading'
  let holding: Holding = share.open(account.party, startedAtMs, giveUp)

  function giveUp(): void {
    refuse(busy)
  }

  function forget(): void {
    chunks = []
    share.release(holding)
  }

  function stop(outcome: Outcome): void {
    if (state === 'over') return
    state = 'over'
    forget()
    endAfter(message, lingerMs)
    message.resume()
    onEnd(outcome)
  }

  const refuse = (answer: Answer): void => stop({ kind: 'refused', answer })
  const fail = (error: unknown): void => stop({ kind: 'failed', error })

  /** The first of a body is read at once: it tells who sends it, and agents seldom send more. */
  function waitForTurn(bytes: number): void {
    if (!rate || receivedBytes <= freeBytes) return
    if (!rate.spend(holding.party, bytes, () => message.resume())) message.pause()
  }

  function take(chunk: Buffer): void {
    receivedBytes += chunk.length
    waitForTurn(chunk.length)
    if (state === 'over') return
    if (state === 'skipping') return
    chunks.push(chunk)
    share.grow(holding, chunk.length, performance.now())
  }

  /** What has come so far. */
  function bytes(): Buffer {
    if (chunks.length > 1) chunks = [Buffer.concat(chunks)]
    return chunks[0] ?? nothing
  }

  /** Moves what has come, and what is to come, to another account. */
  function moveTo(other: Account): void {
    if (state !== 'reading') return
    const heldBytes = holding.bytes
    share.release(holding)
    share = other.share
    pace = other.pace
    rate = other.rate
    holding = share.open(other.party, startedAtMs, giveUp)
    share.grow(holding, heldBytes, performance.now())
  }

  /** Reads the rest without keeping anything. */
  function skip(): void {
    if (state !== 'reading') return
    state = 'skipping'
    forget()
  }

  function finish(): void {
    if (state === 'over') return
    const isSkipped = state === 'skipping'
    const whole = bytes()
    state = 'over'
    chunks = []
    holding.giveUp = undefined
    onEnd(isSkipped ? { kind: 'skipped' } : { kind: 'read', bytes: whole, release: () => share.release(holding) })
  }

  function refuseIfSlow(nowMs: number): void {
    const ageMs = nowMs - startedAtMs
    const dueBytes = ((ageMs - pace.graceMs) / 1000) * pace.minBytesPerSecond
    if (ageMs > pace.maxMs || receivedBytes < dueBytes) refuse(tooSlow)
  }

  return {
    ...{ take, bytes, moveTo, skip, finish, refuse, fail, refuseIfSlow },
    receivedBytes: () => receivedBytes,
    isOver: () => state === 'over',
  }
}

/** Ends the connection unless the whole request has come after `lingerMs`. */
export function endAfter(message: IncomingMessage, lingerMs: number): void {
  if (message.complete) return
  const timer = setTimeout(() => {
    if (!message.complete) message.socket.destroy()
  }, lingerMs).unref()
  message.once('close', () => clearTimeout(timer))
}
