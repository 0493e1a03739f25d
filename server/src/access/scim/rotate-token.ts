import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import type { Actor } from '../../signals/audit/record-audit.ts'
import { createScimToken } from './create-token.ts'
import { revokeScimToken } from './revoke-token.ts'

type Rotation = { organizationId: string; id: string; actor: Actor; now: string }

/** Ends a token and makes another one of the same name; the identity provider is let in with that one alone. */
export async function rotateScimToken(
  tx: Tx,
  secrets: Secrets,
  { organizationId, id, actor, now }: Rotation,
): Promise<{ id: string; token: string }> {
  const { name } = orNotFound(
    await tx
      .selectFrom('scim_tokens')
      .select('name')
      .where(inOrganization('scim_tokens', organizationId))
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  await revokeScimToken(tx, { organizationId, id, actor, now })
  return createScimToken(tx, secrets, { organizationId, name, actor, now })
}
