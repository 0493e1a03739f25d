import { type AdminPower, adminPowers } from '@muster/contract/admin-powers.ts'
import { features } from '@muster/contract/features.ts'
import { permissions } from '@muster/contract/permissions.ts'
import type { AdmittedSession, SessionNeed } from '../../base/callers.ts'
import { fail } from '../../base/errors.ts'
import { clockToleranceMs } from '../../base/time.ts'
import { mayRead, powersOf, stepUpMs } from './rules.ts'

const titles: Record<AdminPower, { title: string }> = { ...permissions, ...adminPowers }

/** Refuses a session that does not have what a route declares. Asked before anything of the request is looked at, but for the proof. */
export function requireRights(
  session: AdmittedSession,
  { requires, feature }: Omit<SessionNeed, 'needsFreshProof'>,
): void {
  if (requires !== 'own_account') requireReading(session)
  if (feature && session.disabled_features.includes(feature)) {
    const message = `The feature ${features[feature].title} is not available to the organization.`
    fail('feature_unavailable', { message })
  }
  if (requires !== 'own_account' && requires !== 'read') requirePower(session, requires)
}

function requireReading(session: AdmittedSession): void {
  if (mayRead(session)) return
  fail('permission_missing', {
    message: 'Your account has billing access only. An administrator with full access can change that.',
  })
}

/** For a power that only some values or effects of a request need; what a whole route needs stands in its definition. */
export function requirePower(session: AdmittedSession, power: AdminPower): void {
  if (powersOf(session).has(power)) return
  const whoCan = 'An administrator with full access can change that.'
  fail('permission_missing', { message: `Your account lacks the permission ${titles[power].title}. ${whoCan}` })
}

/** Asked after the body is held to its schema: nobody is asked who they are for what is refused anyway. */
export function requireFreshProof({ verified_at }: AdmittedSession, now: string): void {
  const ageMs = Date.parse(now) - Date.parse(verified_at)
  if (ageMs >= stepUpMs || ageMs < -clockToleranceMs) fail('step_up_needed')
}
