import { setTimeout as pause } from 'node:timers/promises'
import { TransmitterError } from './call-transmitter.ts'
import type { Arrival } from './describe-arrival.ts'
import type { RememberedSets } from './remember-sets.ts'
import type { OwnerCalls, ReceivedStream, Settled } from './transmitter.ts'
import type { Verdict } from './verify-set.ts'

export type Polling = {
  calls: Pick<OwnerCalls, 'poll'>
  stream: ReceivedStream
  verify: (token: string) => Promise<Verdict>
  seen: RememberedSets
  show: (arrival: Omit<Arrival, 'receivedAt'>) => Promise<void>
  /** Tells of trouble that passes. */
  say: (text: string) => Promise<void>
  signal: AbortSignal
}

const atOnce = 100
const firstWaitMs = 1_000
const maxWaitMs = 30_000

/** Polls (RFC 8936) until the signal; what was shown is acknowledged with the next poll, and at the end. */
export async function pollForSets(polling: Polling): Promise<void> {
  const { calls, stream, signal } = polling
  let settled: Settled = { ack: [], setErrs: {} }
  let failures = 0
  try {
    while (!signal.aborted) {
      try {
        const sets = await calls.poll(stream, { maxEvents: atOnce, ...toSay(settled) }, signal)
        settled = { ack: [], setErrs: {} }
        failures = 0
        // Those that cannot be judged now come again at once.
        if (!(await settleSets(sets, settled, polling))) await waitFor(firstWaitMs, signal)
      } catch (error) {
        if (signal.aborted) break
        if (!(error instanceof TransmitterError) || !error.isPassing) throw error
        const waitMs = Math.max(Math.min(firstWaitMs * 2 ** failures, maxWaitMs), error.retryAfterMs)
        failures += 1
        await polling.say(`${error.message}; again in ${Math.ceil(waitMs / 1_000)} s`)
        await waitFor(waitMs, signal)
      }
    }
  } finally {
    const said = toSay(settled)
    if (Object.keys(said).length > 0) {
      // Whatever ended the polling matters more than this.
      await calls.poll(stream, { maxEvents: 0, ...said }, AbortSignal.timeout(5_000)).catch(() => {})
    }
  }
}

/** Without members that say nothing. */
const toSay = ({ ack, setErrs }: Settled): Partial<Settled> => ({
  ...(ack.length > 0 && { ack }),
  ...(Object.keys(setErrs).length > 0 && { setErrs }),
})

const waitFor = (ms: number, signal: AbortSignal): Promise<void> => pause(ms, undefined, { signal }).catch(() => {})

/** Puts into `settled` what to say of the tokens. Resolves to whether all of them could be judged. */
async function settleSets(
  sets: readonly (readonly [string, unknown])[],
  settled: Settled,
  polling: Polling,
): Promise<boolean> {
  let areJudged = true
  for (const [jti, token] of sets) {
    const verdict = await judge(jti, token, polling)
    if (verdict.kind === 'unavailable') {
      areJudged = false
      await polling.show({ outcome: 'put_off', detail: verdict.description, claims: null })
    } else if (verdict.kind === 'refused') {
      const { err, description } = verdict
      await polling.show({ outcome: 'refused', detail: `${err}: ${description}`, claims: null })
      settled.setErrs[jti] = { err, description }
    } else {
      const isRepeat = polling.seen.has(jti)
      polling.seen.add(jti)
      const told = isRepeat
        ? ({ outcome: 'repeated', detail: 'it came before' } as const)
        : ({ outcome: 'accepted', detail: null } as const)
      await polling.show({ ...told, claims: verdict.claims })
      settled.ack.push(jti)
    }
  }
  return areJudged
}

async function judge(jti: string, token: unknown, { verify }: Polling): Promise<Verdict> {
  const verdict = await verify(typeof token === 'string' ? token : '')
  const isOther = verdict.kind === 'valid' && verdict.claims.jti !== jti
  return isOther ? { kind: 'refused', err: 'invalid_request', description: 'The token has another jti' } : verdict
}
