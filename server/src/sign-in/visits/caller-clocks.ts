import { hourMs } from '../../base/time.ts'
import { isClockOff } from '../oidc/request-rules.ts'

type ClockLine = { clientId: string; aheadSeconds: number }

const maxClients = 1_000

/** Tells of callers whose clock is off, as their signed requests say: one line an hour for each of them. */
export function callerClocks(tell: (line: ClockLine) => void) {
  const told = new Map<string, number>()

  /** `aheadMs`: how far the clock of the caller is ahead of ours, negative where it is behind. */
  function note(clientId: string, aheadMs: number): void {
    const nowMs = performance.now()
    if (!isClockOff(aheadMs) || nowMs - (told.get(clientId) ?? -hourMs) < hourMs) return
    told.delete(clientId)
    told.set(clientId, nowMs)
    const [oldest] = told.keys()
    if (told.size > maxClients && oldest !== undefined) told.delete(oldest)
    tell({ clientId, aheadSeconds: Math.round(aheadMs / 100) / 10 })
  }

  return { note }
}
