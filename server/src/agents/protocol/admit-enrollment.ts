import type { AgentContext } from './agent-context.ts'
import { enrollmentSecretPurpose } from './enrollment-secret-place.ts'

/**
 * The organization of an active enrollment secret, so that only those who have one wait for their turn to
 * enroll, and undefined for any other. Fails with
 * status 429 where the network of the address has sent too many that are not. A secret that was active within the
 * last ten minutes is not counted: an office with a mistyped secret on one laptop still enrolls the others.
 */
export async function admitEnrollment(
  context: AgentContext,
  secret: string,
  address: string,
): Promise<string | undefined> {
  const { failedEnrollments, usedSecrets, secrets } = context
  const hash = secrets.lookupHash(enrollmentSecretPurpose, secret)
  const key = hash.toString('hex')
  const known = usedSecrets.get(key)
  if (known !== undefined) return known
  if (failedEnrollments.isSpent(address)) throw tooManyFailures()
  const organizationId = await context.findSecret(hash)
  if (organizationId !== undefined) {
    usedSecrets.note(key, organizationId)
    return organizationId
  }
  failedEnrollments.spend(address)
  context.metrics.enrollments.inc({ outcome: 'refused' })
  return undefined
}

const tooManyFailures = () =>
  Object.assign(new Error('Too many enrollments from this address failed. Try again later.'), { statusCode: 429 })
