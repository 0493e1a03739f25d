import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { generateScimToken, scimTokenPurpose } from './token-format.ts'

type NewToken = { name: string }

/** Makes a token for an identity provider. It is returned this once: the database has its keyed hash only. */
export async function createScimToken(
  tx: Tx,
  secrets: Secrets,
  { name }: NewToken,
  context: ChangeContext,
): Promise<{ id: string; token: string }> {
  const { organizationId, now } = context
  if (name.trim() === '') fail('invalid', { errors: [{ field: 'name', message: 'must not be blank' }] })
  const token = generateScimToken()
  const { id } = await tx
    .insertInto('scim_tokens')
    .values({ organization_id: organizationId, name, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('scim_token_lookups')
    .values({
      lookup_hash: secrets.lookupHash(scimTokenPurpose, token),
      organization_id: organizationId,
      scim_token_id: id,
    })
    .execute()
  await recordAudit(
    tx,
    { action: 'scim_token.created', about: { scim_token: id }, description: `Created the SCIM token "${name}".` },
    context,
  )
  return { id, token }
}
