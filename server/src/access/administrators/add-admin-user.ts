import type { ChangeContext } from '../../base/change-context.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { announce } from '../../signals/events/announce.ts'
import { type AdminDetails, describeAdmin, describeRights, faultsOfAdmin, startingRestrictions } from './rules.ts'

export type NewAdminUser = Omit<AdminDetails, 'restrictions'> & {
  /** Limited access may do nothing unless they are given. */
  restrictions?: readonly string[] | undefined
}

/** With the restrictions that they begin with; fails with invalid and every fault. */
export function acceptableAdmin(admin: NewAdminUser): AdminDetails {
  const details = { ...admin, restrictions: admin.restrictions ?? startingRestrictions(admin.access) }
  const errors = faultsOfAdmin(details)
  if (errors.length > 0) fail('invalid', { errors })
  return details
}

/** Adds an administrator and returns the identifier. One e-mail address, in whatever case, is one administrator. */
export async function addAdminUser(tx: Tx, admin: NewAdminUser, context: ChangeContext): Promise<string> {
  const { cause, now, organizationId } = context
  const { firstName, lastName, email, access } = admin
  const { restrictions } = acceptableAdmin(admin)
  const row = { first_name: firstName, last_name: lastName, email, access }
  const added = await tx
    .insertInto('admin_users')
    .values({ organization_id: organizationId, ...row, restrictions: [...restrictions], created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!added) return fail('invalid', { errors: [{ field: 'email', message: 'is an administrator’s already' }] })
  const news = { type: 'admin_users.created', adminUserId: added.id, firstName, lastName, email, access } as const
  await announce(tx, [{ ...news, organizationId, deviceId: null, cause, at: now }])
  const description = `Added ${describeAdmin(row)} with ${describeRights({ access, restrictions })}.`
  await recordAudit(tx, { action: 'administrator.created', about: { administrator: added.id }, description }, context)
  return added.id
}
