import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'

type Revocation = { organizationId: string; id: string; actor: Actor; now: string }

/** Ends a key: every process refuses it from the commit on. One that was revoked before is not found. */
export async function revokeApiKey(tx: Tx, { organizationId, id, actor, now }: Revocation): Promise<void> {
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where(inOrganization('api_keys', organizationId))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('name')
    .executeTakeFirst()
  const { name } = orNotFound(revoked)
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { api_key: id },
    description: `Revoked the API key "${name}".`,
    now,
  })
}
