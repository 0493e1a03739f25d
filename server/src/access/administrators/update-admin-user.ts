import type { AdminAccess } from '@muster/contract/admin-users.ts'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { changesBetween } from '../../signals/audit/changes.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockAdminUser } from './lock-admin-user.ts'
import { describeAdmin, describeRights, faultsOfRights, startingRestrictions } from './rules.ts'

type AdminUserChange = {
  id: string
  /** What is left out stays. Restrictions end with limited access; someone who gets it may do nothing at first. */
  access?: AdminAccess | undefined
  restrictions?: readonly string[] | undefined
}

/** Changes what an administrator may do; the last one with full access keeps it. Returns whether anything changed. */
export async function updateAdminUser(tx: Tx, change: AdminUserChange, context: ChangeContext): Promise<boolean> {
  const { organizationId } = context
  const { id } = change
  const admin = await lockAdminUser(tx, organizationId, id)
  const access = change.access ?? admin.access
  const restrictions =
    change.restrictions ?? (access === admin.access ? admin.restrictions : startingRestrictions(access))
  const rights = { access, restrictions }
  const errors = faultsOfRights(rights)
  if (admin.isLastWithFullAccess && access !== 'full') {
    errors.push({ field: 'access', message: 'must stay full: nobody else has full access' })
  }
  if (errors.length > 0) fail('invalid', { errors })
  const [from, to] = [describeRights(admin), describeRights(rights)]
  if (from === to) return false
  await tx
    .updateTable('admin_users')
    .set({ access, restrictions: [...restrictions] })
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', id)
    .execute()
  const changes = changesBetween(admin, rights, ['access', 'restrictions'])
  const description = `Changed what ${describeAdmin(admin)} may do from ${from} to ${to}.`
  await recordAudit(
    tx,
    { action: 'administrator.updated', about: { administrator: id }, description, changes },
    context,
  )
  return true
}
