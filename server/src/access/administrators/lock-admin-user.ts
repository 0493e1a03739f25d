import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { lockFullAdministrators } from '../../inventory/people/lock-full-administrators.ts'

/** Locks an administrator, and all who have full access, until the transaction ends. */
export async function lockAdminUser(tx: Tx, organizationId: string, id: string) {
  const full = await lockFullAdministrators(tx, organizationId)
  const admin = await tx
    .selectFrom('admin_users')
    .select(['id', 'first_name', 'last_name', 'email', 'access', 'restrictions'])
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return { ...orNotFound(admin), isLastWithFullAccess: full.length === 1 && full[0] === id }
}
