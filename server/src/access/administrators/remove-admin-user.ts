import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { lockAdminUser } from './lock-admin-user.ts'
import { describeAdmin } from './rules.ts'

type AdminUserRemoval = { organizationId: string; id: string; actor: Actor; now: string }

/** Takes an administrator away; the last one with full access stays. */
export async function removeAdminUser(tx: Tx, { organizationId, id, actor, now }: AdminUserRemoval): Promise<void> {
  const admin = await lockAdminUser(tx, organizationId, id)
  if (admin.isLastWithFullAccess) {
    fail('invalid', { errors: [{ field: 'id', message: 'must stay: nobody else has full access' }] })
  }
  await tx.deleteFrom('admin_users').where(inOrganization('admin_users', organizationId)).where('id', '=', id).execute()
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { administrator: id },
    description: `Removed ${describeAdmin(admin)}.`,
    now,
  })
}
