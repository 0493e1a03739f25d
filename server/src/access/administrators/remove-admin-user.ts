import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { lockAdminUser } from './lock-admin-user.ts'
import { describeAdmin } from './rules.ts'

type AdminUserRemoval = { id: string }

/** Takes an administrator away; the last one with full access stays. */
export async function removeAdminUser(tx: Tx, { id }: AdminUserRemoval, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  const admin = await lockAdminUser(tx, organizationId, id)
  if (admin.isLastWithFullAccess) {
    fail('invalid', { errors: [{ field: 'id', message: 'must stay: nobody else has full access' }] })
  }
  await tx.deleteFrom('admin_users').where(inOrganization('admin_users', organizationId)).where('id', '=', id).execute()
  await recordAudit(
    tx,
    { action: 'administrator.removed', about: { administrator: id }, description: `Removed ${describeAdmin(admin)}.` },
    context,
  )
}
