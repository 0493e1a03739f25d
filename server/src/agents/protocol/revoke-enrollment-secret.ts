import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

type Revocation = { organizationId: string; id: string; actor: Actor; now: string }

/** No agent enrolls with it anymore; those that have keep their node keys. Fails with not_found, also when repeated. */
export async function revokeEnrollmentSecret(tx: Tx, { organizationId, id, actor, now }: Revocation): Promise<void> {
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
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { enrolment_secret: id },
    description: `Revoked the enrollment secret "${name}".`,
    now,
  })
}
