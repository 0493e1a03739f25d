import { type AdminPower, adminPowerNames } from '@muster/contract/admin-powers.ts'
import type { AdminAccess } from '@muster/contract/admin-users.ts'
import type { FieldError } from '@muster/contract/errors.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

export const sessionIdleMs = 30 * minuteMs
export const sessionLifetimeMs = 12 * hourMs
export const stepUpMs = 5 * minuteMs
export const linkLifetimeMs = 24 * hourMs

export const plusMs = (instant: string, ms: number): string => new Date(Date.parse(instant) + ms).toISOString()

type Rights = { access: AdminAccess; restrictions: readonly string[] }

const forFullAccessOnly: readonly AdminPower[] = ['reveal_keys', 'manage_administrators']

/** Restrictions take away. One that is not known cannot be kept, so it takes everything but reading. */
export function powersOf({ access, restrictions }: Rights): ReadonlySet<AdminPower> {
  if (access === 'billing_only') return new Set()
  if (access === 'full') return new Set(adminPowerNames)
  const isKnown = restrictions.every((restriction) => adminPowerNames.some((power) => power === restriction))
  if (!isKnown) return new Set()
  return new Set(adminPowerNames.filter((power) => !forFullAccessOnly.includes(power) && !restrictions.includes(power)))
}

export const mayRead = ({ access }: Rights): boolean => access !== 'billing_only'

const shortestPassword = 12
const longestPassword = 200

/** Length is what counts (NIST SP 800-63B §5.1.1.2); only what anybody would try first is refused besides. */
export function faultsOfPassword(password: string, { email }: { email: string }): FieldError[] {
  const length = [...password].length
  const fault = (message: string) => [{ field: 'password', message }]
  if (length < shortestPassword) return fault(`must have at least ${shortestPassword} characters`)
  if (length > longestPassword) return fault(`must have at most ${longestPassword} characters`)
  const plain = password.toLowerCase()
  if (plain === email.toLowerCase()) return fault('must not be the e-mail address')
  if (new Set(plain).size < 4) return fault('must have at least four different characters')
  return []
}

export type Throttle = { failures: number; lastFailedAt: string; closedUntil: string }
/** How many failures cost nothing, and how long the longest wait is. */
export type ThrottleRule = { free: number; longestMs: number; forgottenAfterMs: number }

export const accountRule: ThrottleRule = { free: 5, longestMs: 15 * minuteMs, forgottenAfterMs: 24 * hourMs }
/** Many may sit behind one address. */
export const addressRule: ThrottleRule = { free: 50, longestMs: 15 * minuteMs, forgottenAfterMs: hourMs }

/** Whole seconds until another try is heard; 0 for now. */
export const secondsClosed = ({ closedUntil }: Throttle, now: string): number =>
  Math.max(0, Math.ceil((Date.parse(closedUntil) - Date.parse(now)) / 1_000))

/** After one more failure: beyond the free ones each doubles the wait, which begins with a second. */
export function afterFailure(throttle: Throttle | undefined, rule: ThrottleRule, now: string): Throttle {
  const isForgotten = !throttle || Date.parse(now) - Date.parse(throttle.lastFailedAt) >= rule.forgottenAfterMs
  const failures = isForgotten ? 1 : Math.min(throttle.failures + 1, 1_000)
  const doublings = Math.min(failures - rule.free, 30)
  const waitMs = doublings < 0 ? 0 : Math.min(1_000 * 2 ** doublings, rule.longestMs)
  return { failures, lastFailedAt: now, closedUntil: plusMs(now, waitMs) }
}

/** What one customer of a provider has: an IPv4 address, or 64 bits of IPv6. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::', 2)
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const filled =
    tail === undefined ? groups : [...groups, ...Array(Math.max(0, 8 - groups.length - rest.length)).fill('0'), ...rest]
  return filled
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** As the list of sessions and the audit log show it. */
export const describeBrowser = (userAgent: string | undefined): string | null =>
  userAgent === undefined
    ? null
    : userAgent
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, '')
        .slice(0, 300)
