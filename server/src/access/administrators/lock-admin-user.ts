import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'

/**
 * Locks an administrator, and all who have full access, until the transaction ends: of two who would take the last two
 * away at once, the second sees what the first did. Locks are taken in one order.
 */
export async function lockAdminUser(tx: Tx, organizationId: string, id: string) {
  const full = await tx
    .selectFrom('admin_users')
    .select('id')
    .where(inOrganization('admin_users', organizationId))
    .where('access', '=', 'full')
    .orderBy('id')
    .forUpdate()
    .execute()
  const admin = await tx
    .selectFrom('admin_users')
    .select(['id', 'first_name', 'last_name', 'email', 'access', 'restrictions'])
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return { ...orNotFound(admin), isLastWithFullAccess: full.length === 1 && full[0]?.id === id }
}
