import type { IncomingMessage } from 'node:http'
import type { Holding, MemoryShare } from './memory-share.ts'
import type { ReadRate } from './read-rate.ts'

/** How fast a body must come. */
export type Pace = {
  /** Nothing is expected of a body before this. */
  graceMs: number
  /** On average over the time after the grace. */
  minBytesPerSecond: number
  /** When it must be complete, however fast it comes. */
  maxMs: number
}

/** Why a body is not taken; whoever reads it may have reasons of its own. */
export type Fault = 'busy' | 'too_slow' | 'too_large' | 'broken_off'

export type Outcome<Refusal = Fault> =
  /** `isCut`: it was longer than what is taken, and `bytes` is how it begins. */
  | { kind: 'read'; bytes: Buffer; isCut: boolean; release: () => void }
  | { kind: 'refused'; why: Refusal }
  | { kind: 'failed'; error: unknown }

/** A body that is being read. */
export type Reading<Refusal = Fault> = ReturnType<typeof startReading<Refusal>>

/** Which memory and time a body gets; `rate` is how fast it is read, as fast as it comes where it is undefined. */
export type Account = { share: MemoryShare; party: string; pace: Pace; rate?: ReadRate | undefined }
type Parts<Refusal> = {
  message: IncomingMessage
  account: Account
  onEnd: (outcome: Outcome<Refusal | Fault>) => void
}

const nothing = Buffer.alloc(0)
const freeBytes = 64 * 1024
/** How long the rest of a refused body is read and dropped, so that its sender gets to read the answer. */
const lingerMs = 3_000

/**
 * Reads one body into a share of memory and calls `onEnd` once. The rest of a refused body is read and dropped for a
 * moment, since an agent reads no answer before it has sent everything; then its connection ends.
 */
export function startReading<Refusal = Fault>({ message, account, onEnd }: Parts<Refusal>) {
  const startedAtMs = performance.now()
  let { share, pace, rate } = account
  let chunks: Buffer[] = []
  let receivedBytes = 0
  let keptBytes = Number.POSITIVE_INFINITY
  let state: 'reading' | 'cutting' | 'over' = 'reading'
  let holding: Holding = share.open(account.party, startedAtMs, giveUp)

  function giveUp(): void {
    refuse('busy')
  }

  function forget(): void {
    chunks = []
    share.release(holding)
  }

  function stop(outcome: Outcome<Refusal | Fault>): void {
    if (state === 'over') return
    state = 'over'
    forget()
    endSoon(message)
    message.resume()
    onEnd(outcome)
  }

  const refuse = (why: Refusal | Fault): void => stop({ kind: 'refused', why })
  const fail = (error: unknown): void => stop({ kind: 'failed', error })

  /** The first of a body is read at once: it tells who sends it, and agents seldom send more. */
  function waitForTurn(bytes: number): void {
    if (!rate || receivedBytes <= freeBytes) return
    if (!rate.spend(holding.party, bytes, () => message.resume())) message.pause()
  }

  function take(chunk: Buffer): void {
    receivedBytes += chunk.length
    waitForTurn(chunk.length)
    if (state !== 'reading') return
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

  /** Keeps the first `maxBytes` of what has come, and reads the rest without keeping it. */
  function cut(maxBytes: number): void {
    if (state !== 'reading') return
    state = 'cutting'
    keptBytes = maxBytes
  }

  function finish(): void {
    if (state === 'over') return
    const isCut = state === 'cutting'
    const kept = bytes().subarray(0, keptBytes)
    state = 'over'
    chunks = []
    holding.giveUp = undefined
    onEnd({ kind: 'read', bytes: kept, isCut, release: () => share.release(holding) })
  }

  function refuseIfSlow(nowMs: number): void {
    const ageMs = nowMs - startedAtMs
    const dueBytes = ((ageMs - pace.graceMs) / 1000) * pace.minBytesPerSecond
    if (ageMs > pace.maxMs || receivedBytes < dueBytes) refuse('too_slow')
  }

  return {
    ...{ take, bytes, moveTo, cut, finish, refuse, fail, refuseIfSlow },
    receivedBytes: () => receivedBytes,
    isOver: () => state === 'over',
  }
}

/** Ends the connection of a request that is answered, unless the rest of it comes within a moment. */
export function endSoon(message: IncomingMessage): void {
  if (message.complete) return
  const timer = setTimeout(() => {
    if (!message.complete) message.destroy()
  }, lingerMs).unref()
  message.once('close', () => clearTimeout(timer))
}
