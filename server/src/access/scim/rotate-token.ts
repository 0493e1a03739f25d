import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { createScimToken } from './create-token.ts'
import { revokeScimToken } from './revoke-token.ts'

type Rotation = { id: string }

/** Ends a token and makes another one of the same name; the identity provider is let in with that one alone. */
export async function rotateScimToken(
  tx: Tx,
  secrets: Secrets,
  { id }: Rotation,
  context: ChangeContext,
): Promise<{ id: string; token: string }> {
  const { organizationId } = context
  const { name } = orNotFound(
    await tx
      .selectFrom('scim_tokens')
      .select('name')
      .where(inOrganization('scim_tokens', organizationId))
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  await revokeScimToken(tx, { id }, context)
  return createScimToken(tx, secrets, { name }, context)
}
