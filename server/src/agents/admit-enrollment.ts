import type { AgentContext } from './agent-context.ts'
import { enrollmentSecretPurpose } from './enrollment-secret-place.ts'

/**
 * Whether an enrollment secret is in force, so that only those who have one wait for their turn to enroll. Fails with
 * status 429 where the network of the address has sent too many that are not. A secret that was in force within the
 * last ten minutes is not counted: an office with a mistyped secret on one laptop still enrolls the others.
 */
export async function admitEnrollment(context: AgentContext, secret: string, address: string): Promise<boolean> {
  const { failedEnrollments, usedSecrets, secrets } = context
  const hash = secrets.lookupHash(enrollmentSecretPurpose, secret)
  const key = hash.toString('hex')
  if (usedSecrets.has(key)) return true
  if (failedEnrollments.isSpent(address)) throw tooManyFailures()
  if (await context.findSecret(hash)) {
    usedSecrets.note(key)
    return true
  }
  failedEnrollments.spend(address)
  context.metrics.enrollments.inc({ outcome: 'refused' })
  return false
}

const tooManyFailures = () =>
  Object.assign(new Error('Too many enrollments from this address failed. Try again later.'), { statusCode: 429 })
