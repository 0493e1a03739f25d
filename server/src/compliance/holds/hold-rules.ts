import { dayMs, hourMs, plusMs } from '../../base/time.ts'

/** When blocks of one check are held: with devices of more owners than the limit within the window. */
export const breaker = {
  windowMs: hourMs,
  /** A block that was known for less than this before it came was not announced. */
  noticeMs: hourMs,
  /** Of the people who have a registered device. */
  percent: 10,
  /** No fewer and no more than these, whatever the share is. */
  fewest: 10,
  most: 100,
  /** A check whose blocks were released is not held again for this long. */
  releasedMs: dayMs,
} as const

/** A check may newly block the devices of so many people within the window, where so many have one. */
export const limitOf = (owners: number): number =>
  Math.min(breaker.most, Math.max(breaker.fewest, Math.floor((owners * breaker.percent) / 100)))

/** From so many owners on, the limit grows no more. */
export const ownersThatCount = (breaker.most * 100) / breaker.percent

/** Whether a device becomes blocked without notice: soon by what is decided now, and not soon by what stood before. */
export function isSudden(before: string | null, after: string | null, now: string): boolean {
  const soon = plusMs(now, breaker.noticeMs)
  return after !== null && after <= soon && (before === null || before > soon)
}

/** Ended: nothing was left to decide. What was under it is as if it had never been. */
export type HoldDecision = 'released' | 'discarded' | 'ended'

type Schedule = { blocking_since: string | null; blocks_device_at: string | null }
export type HeldSchedule = Schedule & { hold_id: string | null }
export type UnderHold = HeldSchedule & {
  hold_decision: HoldDecision | null
  /** Whether first answers to the query of an upgrade wait under it. */
  hold_is_of_upgrade: boolean | null
}

/** Whether an issue is under a hold, also one that was released and has yet to let it block. */
const isUnderHold = ({ hold_id, hold_decision }: Pick<UnderHold, 'hold_id' | 'hold_decision'>): boolean =>
  hold_id !== null && hold_decision !== 'ended'

/** Whether what is decided about an issue blocks its device without notice, and so counts towards the limit. */
export const comesSuddenly = (issue: UnderHold, decided: Schedule, now: string): boolean =>
  !isUnderHold(issue) && isSudden(issue.blocks_device_at, decided.blocks_device_at, now)

/**
 * Whether the owner has been told of an issue that blocks the device now, or is held: by a check that told them, and did
 * not block this device. `isTold`: whether the check told owners of issues until now.
 */
export const wasTold = (issue: HeldSchedule & { told_before_block: boolean }, isTold: boolean): boolean =>
  issue.hold_id === null
    ? isTold && issue.blocking_since === null && issue.blocks_device_at === null
    : issue.told_before_block

/**
 * What becomes of an issue under a hold, once it is decided again. What was released blocks from now on; a block that is
 * still sudden keeps waiting, or stays discarded, and so does any block under a hold of an upgrade; any other schedule takes
 * effect, and the hold is over for the issue.
 */
export function scheduleUnderHold(issue: UnderHold, decided: Schedule, now: string): HeldSchedule {
  const { hold_id, hold_decision, hold_is_of_upgrade, blocking_since, blocks_device_at } = issue
  const isInForce = hold_decision === null || hold_decision === 'discarded'
  const isHeldStill =
    hold_is_of_upgrade === true
      ? decided.blocks_device_at !== null
      : isSudden(blocks_device_at, decided.blocks_device_at, now)
  if (isInForce && isHeldStill) return { hold_id, blocking_since, blocks_device_at }
  const at = decided.blocks_device_at
  return { ...decided, blocks_device_at: at !== null && at < now ? now : at, hold_id: null }
}
