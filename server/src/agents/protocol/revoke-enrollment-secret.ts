import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Revocation = { id: string }

/** No agent enrolls with it anymore; those that have keep their node keys. Fails with not_found, also when repeated. */
export async function revokeEnrollmentSecret(tx: Tx, { id }: Revocation, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const { name } = orNotFound(
    await tx
      .updateTable('enrollment_secrets')
      .set({ revoked_at: now })
      .where(inOrganization('enrollment_secrets', organizationId))
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirst(),
  )
  await recordAudit(
    tx,
    {
      action: 'enrollment_secret.revoked',
      about: { enrolment_secret: id },
      description: `Revoked the enrollment secret "${name}".`,
    },
    context,
  )
}
