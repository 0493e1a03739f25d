import { fractionOf } from './seeded.ts'

export type FailureClock = {
  seed: number
  /** Share of its checks that a device fails at any time, 0..1. */
  failRate: number
  /** Mean time between two flips (to failing, back to passing) of one check on one device. */
  periodMs: number
}

/**
 * Whether a device fails a check at a moment: no state, so that a run can be repeated and resumed.
 * Time is cut into cycles of two periods; each has one failing stretch of `failRate` of its length, at a place that
 * the seed decides. At any moment the failing share of a large fleet is therefore exactly the rate.
 */
export function isFailing(clock: FailureClock, device: number, check: number, atMs: number): boolean {
  const cycleMs = 2 * clock.periodMs
  const shiftedMs = atMs + fractionOf(clock.seed, device, check, 1) * cycleMs
  const cycle = Math.floor(shiftedMs / cycleMs)
  const place = shiftedMs / cycleMs - cycle
  const start = fractionOf(clock.seed, device, check, 2, cycle) * (1 - clock.failRate)
  return place >= start && place < start + clock.failRate
}
