import { hourMs } from '../../../base/time.ts'

const firstMs = 1_000
/** A recovered receiver has everything within two minutes of its recovery: a last wait, and a last attempt. */
const maxMs = 60_000

/** What a receiver may ask for with Retry-After. */
const maxHoldMs = hourMs

/** How long to leave a receiver or an event alone after so many failures in a row; `random` is within [0, 1). */
export function backoffMs(failures: number, retryAfterMs: number, random: number): number {
  const doubled = Math.min(firstMs * 2 ** (failures - 1), maxMs)
  return Math.max(doubled * (0.8 + 0.2 * random), retryAfterMs)
}

/** When a wait that was written down ends: at once where it is longer than any, as the clock was ahead at that time. */
export const endOfWaitMs = (writtenMs: number, nowMs: number): number =>
  writtenMs > nowMs + maxHoldMs ? nowMs : writtenMs
