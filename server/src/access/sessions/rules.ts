import { type AdminPower, adminPowerNames, limitedPowers } from '@muster/contract/admin-powers.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import type { FieldError } from '@muster/contract/errors.ts'
import { foldText } from '../../base/fold-text.ts'
import { hourMs, minuteMs, plusMs } from '../../base/time.ts'

export const sessionIdleMs = 30 * minuteMs
export const sessionLifetimeMs = 12 * hourMs
export const stepUpMs = 5 * minuteMs
export const linkLifetimeMs = 24 * hourMs

type Rights = { access: AdminAccess; restrictions: readonly string[] }

/** Restrictions take away. One that is not known cannot be kept, so it takes everything but reading. */
export function powersOf({ access, restrictions }: Rights): ReadonlySet<AdminPower> {
  if (access === 'billing_only') return new Set()
  if (access === 'full') return new Set(adminPowerNames)
  const isKnown = restrictions.every((restriction) => adminPowerNames.some((power) => power === restriction))
  if (!isKnown) return new Set()
  return new Set(limitedPowers.filter((power) => !restrictions.includes(power)))
}

export const mayRead = ({ access }: Rights): boolean => access !== 'billing_only'

const minPasswordLength = 12
const maxPasswordLength = 200

/** Length is what counts (NIST SP 800-63B §5.1.1.2). What is common is refused as well, by `refusePassword`. */
export function faultsOfPassword(password: string, { email }: { email: string }): FieldError[] {
  const length = [...password].length
  const fault = (message: string) => [{ field: 'password', message }]
  if (length < minPasswordLength) return fault(`must have at least ${minPasswordLength} characters`)
  if (length > maxPasswordLength) return fault(`must have at most ${maxPasswordLength} characters`)
  const plain = foldText(password)
  if (plain === foldText(email)) return fault('must not be the e-mail address')
  if (new Set(plain).size < 4) return fault('must have at least four different characters')
  return []
}

export type Throttle = { failures: number; lastFailedAt: string; closedUntil: string }
/** How many failures cost nothing, how long the longest wait is, and how long it takes to forget one failure. */
export type ThrottleRule = { free: number; maxMs: number; forgetOneMs: number }

/** Of one session, of one browser that has signed in before, and of one network at one account. */
export const ownRule: ThrottleRule = { free: 5, maxMs: 15 * minuteMs, forgetOneMs: hourMs }
/** Of one network at all accounts: many people may sit behind it. */
export const networkRule: ThrottleRule = { free: 50, maxMs: 15 * minuteMs, forgetOneMs: minuteMs }
/**
 * Of all strangers at one account. One network alone, which has a try every 15 minutes in the end, never fills it:
 * closing an account to new browsers takes several.
 */
export const strangersRule: ThrottleRule = { free: 60, maxMs: 15 * minuteMs, forgetOneMs: 10 * minuteMs }

/** How many failures still count. A last one that is in the future, since the clock was wrong then, is one of now. */
export function failuresNow({ failures, lastFailedAt }: Throttle, { forgetOneMs }: ThrottleRule, now: string): number {
  const elapsedMs = Math.max(0, Date.parse(now) - Date.parse(lastFailedAt))
  return Math.max(0, failures - Math.floor(elapsedMs / forgetOneMs))
}

/** Whole seconds until another try is heard; 0 for now. A wait longer than any comes from a clock that was wrong. */
export function secondsClosed({ closedUntil }: Throttle, { maxMs }: ThrottleRule, now: string): number {
  const leftMs = Date.parse(closedUntil) - Date.parse(now)
  return leftMs > maxMs ? 0 : Math.max(0, Math.ceil(leftMs / 1_000))
}

/** After one more failure: beyond the free ones each doubles the wait, which begins with a second. */
export function afterFailure(throttle: Throttle, rule: ThrottleRule, now: string): Throttle {
  const failures = Math.min(failuresNow(throttle, rule, now) + 1, 1_000)
  const doublings = Math.min(failures - rule.free, 30)
  const waitMs = doublings < 0 ? 0 : Math.min(1_000 * 2 ** doublings, rule.maxMs)
  return { failures, lastFailedAt: now, closedUntil: plusMs(now, waitMs) }
}

/** As the list of sessions and the audit log show it. */
export const describeBrowser = (userAgent: string | undefined): string | null =>
  userAgent === undefined
    ? null
    : userAgent
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, '')
        .slice(0, 300)
