import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { enrollmentSecretPlace } from './enrollment-secret-place.ts'

/** The secret in plain text, active or not. The caller records who saw it. Fails with not_found. */
export async function revealEnrollmentSecret(
  reader: Reader,
  secrets: Secrets,
  organizationId: string,
  id: string,
): Promise<{ name: string; secret: string }> {
  const { name, sealed_secret } = orNotFound(
    await reader
      .selectFrom('enrollment_secrets')
      .select(['name', 'sealed_secret'])
      .where(inOrganization('enrollment_secrets', organizationId))
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  return { name, secret: secrets.unseal(sealed_secret, enrollmentSecretPlace(organizationId, id)).toString('utf8') }
}
