import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Review = { id: string }

/**
 * Notes that an administrator with full access has looked at a key that one without had a part in, and keeps it as it is.
 * Returns whether it was waiting for that.
 */
export async function reviewApiKey(tx: Tx, { id }: Review, context: ChangeContext): Promise<boolean> {
  const { organizationId } = context
  const { name, needs_review_since } = orNotFound(
    await tx
      .selectFrom('api_keys')
      .select(['name', 'needs_review_since'])
      .where(inOrganization('api_keys', organizationId))
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst(),
  )
  if (needs_review_since === null) return false
  await tx
    .updateTable('api_keys')
    .set({ needs_review_since: null })
    .where(inOrganization('api_keys', organizationId))
    .where('id', '=', id)
    .execute()
  const description = `Reviewed the API key "${name}", which an administrator without full access had a part in, and kept it.`
  await recordAudit(tx, { action: 'api_key.reviewed', about: { api_key: id }, description }, context)
  return true
}
