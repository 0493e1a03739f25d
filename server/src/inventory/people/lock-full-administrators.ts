import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { leaverOf } from './leaver-of.ts'

/**
 * Locks everyone with full access until the transaction ends, in one order, and returns the identifiers of those who are not
 * deprovisioned as persons: of two who would take the last two away at once, the second sees what the first did.
 */
export async function lockFullAdministrators(tx: Tx, organizationId: string): Promise<string[]> {
  const full = tx
    .selectFrom('admin_users')
    .select('id')
    .where(inOrganization('admin_users', organizationId))
    .where('access', '=', 'full')
  await full.orderBy('id').forUpdate().execute()
  // In a statement of its own: one that waited for the locks would still see the people of before.
  const rows = await full.where(leaverOf('admin_users'), 'is', null).execute()
  return rows.map(({ id }) => id)
}
