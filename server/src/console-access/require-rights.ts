import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { fail } from '../errors.ts'
import type { AdmittedSession } from './admit-session.ts'
import { clockToleranceMs, powersOf, stepUpMs } from './rules.ts'

const titles: Record<AdminPower, { title: string }> = { ...permissions, ...adminPowers }

export function requirePower(session: AdmittedSession, power: AdminPower): void {
  if (powersOf(session).has(power)) return
  const whoCan = 'Somebody with full access can change it.'
  fail('permission_missing', { message: `Your account lacks the permission ${titles[power].title}. ${whoCan}` })
}

/** For what shows secrets or lets somebody in: a session left open on a desk must not be enough. */
export function requireFreshProof({ verified_at }: AdmittedSession, now: string): void {
  const ageMs = Date.parse(now) - Date.parse(verified_at)
  if (ageMs >= stepUpMs || ageMs < -clockToleranceMs) fail('step_up_needed')
}
