import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Revocation = { id: string }

/** Ends a key: every process refuses it from the commit on. One that was revoked before is not found. */
export async function revokeApiKey(tx: Tx, { id }: Revocation, context: ChangeContext): Promise<void> {
  const { organizationId, now } = context
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where(inOrganization('api_keys', organizationId))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  const { name } = orNotFound(revoked)
  await recordAudit(
    tx,
    { action: 'api_key.revoked', about: { api_key: id }, description: `Revoked the API key "${name}".` },
    context,
  )
}
