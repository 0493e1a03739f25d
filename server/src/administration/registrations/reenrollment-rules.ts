import { hourMs, plusMs } from '../../base/time.ts'

/** What is kept of the enrollments as a device whose agent was in use at the time. */
export type Reenrollments = {
  counted_from: string
  /** Since `counted_from`. */
  counted: number
  last_at: string
  /** Until when further ones are refused. */
  refused_until: string | null
  /** How many times the device has cooled down since its conflict began. */
  cool_downs: number
  /** Enrollments that were refused since the last entry of the audit log about it. */
  refused: number
  /** When an administrator has resolved the conflict before these. */
  resolved_at: string | null
}

export type ReenrollmentVerdict = { isRefused: boolean; isNewConflict: boolean; next: Reenrollments }

const windowMs = 600_000
/** One laptop that enrolls again does so once or twice. */
const maxInWindow = 2
const firstCoolDownMs = 600_000
const maxCoolDownMs = hourMs

/** What becomes of an enrollment as a device while another agent of it is in use. */
export function judgeReenrollment(
  before: Reenrollments | undefined,
  isInConflict: boolean,
  now: string,
): ReenrollmentVerdict {
  if (!before || (!isInConflict && now >= plusMs(before.counted_from, windowMs))) {
    return { isRefused: false, isNewConflict: false, next: firstAt(now) }
  }
  const counted = { ...before, counted: before.counted + 1, last_at: now }
  if (!isInConflict && counted.counted <= maxInWindow) {
    return { isRefused: false, isNewConflict: false, next: counted }
  }
  if (isInConflict && before.refused_until !== null && now < before.refused_until) {
    return { isRefused: true, isNewConflict: false, next: { ...counted, refused: before.refused + 1 } }
  }
  const cooling = { cool_downs: before.cool_downs + 1, refused_until: plusMs(now, coolDownMs(before.cool_downs)) }
  if (isInConflict) return { isRefused: false, isNewConflict: false, next: { ...counted, ...cooling, refused: 0 } }
  return { isRefused: true, isNewConflict: true, next: { ...counted, ...cooling, refused: 1 } }
}

/** 10 minutes, then twice as long each time, and an hour at most. */
const coolDownMs = (coolDowns: number): number => Math.min(maxCoolDownMs, firstCoolDownMs * 2 ** coolDowns)

export const firstAt = (now: string): Reenrollments => ({
  counted_from: now,
  counted: 1,
  last_at: now,
  refused_until: null,
  cool_downs: 0,
  refused: 0,
  resolved_at: null,
})
