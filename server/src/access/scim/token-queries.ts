import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The active tokens. */
export const listScimTokens = (reader: Reader, organizationId: string) =>
  reader
    .selectFrom('scim_tokens')
    .select(['id', 'name', 'created_at', 'last_used_at'])
    .where(inOrganization('scim_tokens', organizationId))
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute()
