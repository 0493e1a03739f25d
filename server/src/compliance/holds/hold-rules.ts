import { dayMs, hourMs, plusMs } from '../../base/time.ts'

/** When blocks of one check are held: with more devices than the limit within the window. */
export const breaker = {
  windowMs: hourMs,
  /** A block that was known for less than this before it came was not announced. */
  noticeMs: hourMs,
  /** Of the registered devices. */
  percent: 10,
  /** No fewer and no more than these, whatever the share is. */
  fewest: 10,
  most: 100,
  /** A check whose blocks were released is not held again for this long. */
  releasedMs: dayMs,
} as const

/** So many devices a check may newly block within the window, of so many that are registered. */
export const limitOf = (registered: number): number =>
  Math.min(breaker.most, Math.max(breaker.fewest, Math.floor((registered * breaker.percent) / 100)))

/** From so many registered devices on, the limit grows no more. */
export const registeredThatCount = (breaker.most * 100) / breaker.percent

/** Whether a device becomes blocked without notice: soon by what is decided now, and not soon by what stood before. */
export function isSudden(before: string | null, after: string | null, now: string): boolean {
  const soon = plusMs(now, breaker.noticeMs)
  return after !== null && after <= soon && (before === null || before > soon)
}

export type HoldDecision = 'released' | 'discarded'

type Schedule = { blocking_since: string | null; blocks_device_at: string | null }
export type HeldSchedule = Schedule & { hold_id: string | null }

/**
 * What becomes of an issue under a hold, once it is decided again. What was released blocks from now on; a block that is
 * still sudden keeps waiting, or stays discarded; any other schedule takes effect, and the hold is over for the issue.
 */
export function scheduleUnderHold(
  issue: HeldSchedule & { hold_decision: HoldDecision | null },
  decided: Schedule,
  now: string,
): HeldSchedule {
  const { hold_id, blocking_since, blocks_device_at } = issue
  const isKept = issue.hold_decision !== 'released' && isSudden(blocks_device_at, decided.blocks_device_at, now)
  if (isKept) return { hold_id, blocking_since, blocks_device_at }
  const at = decided.blocks_device_at
  return { ...decided, blocks_device_at: at !== null && at < now ? now : at, hold_id: null }
}
