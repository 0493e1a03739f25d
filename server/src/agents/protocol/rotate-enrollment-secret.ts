import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { createEnrollmentSecret } from './create-enrollment-secret.ts'
import { revokeEnrollmentSecret } from './revoke-enrollment-secret.ts'

type Rotation = { id: string }

/**
 * Replaces an active secret with another one that has the same name, person and end. No agent enrolls with the earlier one any
 * more; those that have stay enrolled. Fails with not_found, and with invalid for the secret of a package, which is made
 * again with the package.
 */
export async function rotateEnrollmentSecret(
  tx: Tx,
  secrets: Secrets,
  { id }: Rotation,
  context: ChangeContext,
): Promise<{ id: string; secret: string }> {
  const { organizationId } = context
  const row = orNotFound(
    await tx
      .selectFrom('enrollment_secrets')
      .leftJoin('packages', (join) =>
        join
          .onRef('packages.organization_id', '=', 'enrollment_secrets.organization_id')
          .onRef('packages.enrollment_secret_id', '=', 'enrollment_secrets.id'),
      )
      .select(['enrollment_secrets.name', 'enrollment_secrets.person_id', 'enrollment_secrets.expires_at'])
      .select('packages.id as package_id')
      .where(inOrganization('enrollment_secrets', organizationId))
      .where('enrollment_secrets.id', '=', id)
      .where('enrollment_secrets.revoked_at', 'is', null)
      .executeTakeFirst(),
  )
  if (row.package_id !== null) {
    fail('invalid', { errors: [{ field: 'id', message: 'is the secret of a package: make the package again' }] })
  }
  await revokeEnrollmentSecret(tx, { id }, context)
  return createEnrollmentSecret(
    tx,
    secrets,
    {
      name: row.name,
      ...(row.person_id !== null && { personId: row.person_id }),
      ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    },
    context,
  )
}
