import { claimsOf, type OutcomeClaims, type OwnWords, withUpstream } from '../oidc/claims-rules.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import { mayContinue, modeAt } from '../sessions/session-rules.ts'

/** What an application hears of a sign-in. While its connection is paused nothing is said of the device. */
export function claimsOfSession(session: Told, now: string, own?: OwnWords): OutcomeClaims {
  const { state, upstream } = session
  const deviceId = modeAt(session, now) === 'paused' ? null : session.device_id
  const isCompliant = mayContinue(state) && state !== 'observed' && state !== 'bypassed'
  const claims = claimsOf({ isProved: deviceId !== null, isCompliant, deviceId })
  return upstream?.said ? withUpstream(claims, upstream.said, own) : claims
}

type Told = Pick<SignInSession, 'device_id' | 'state' | 'upstream' | 'mode' | 'paused_until'>
