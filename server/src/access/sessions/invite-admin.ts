import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { describeAdmin } from '../administrators/rules.ts'
import { createLink } from './create-link.ts'
import { endSessions } from './end-sessions.ts'
import { hasAccounts } from './queries.ts'
import { deleteRecoveryCodes } from './second-factor.ts'
import { isDeprovisioned } from './start-session.ts'
import { forgetFailures } from './throttle-sign-ins.ts'

type Invitation = {
  adminUserId: string
  /** `reset` also removes every way to sign in, and ends the sessions. */
  purpose: 'invite' | 'reset'
  baseUrl: string
}

/**
 * Makes a one-time link by which an administrator chooses a password. Links made before end with it. Fails with not_found, invalid and
 * administrator_deprovisioned.
 */
export async function inviteAdmin(
  tx: Tx,
  secrets: Secrets,
  asked: Invitation,
  context: ChangeContext,
): Promise<{ url: string; expiresAt: string }> {
  const { organizationId, now } = context
  const { adminUserId, purpose } = asked
  const found = await tx
    .selectFrom('admin_users')
    .select(['first_name', 'last_name', 'email'])
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', adminUserId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const admin = orNotFound(found)
  if (await isDeprovisioned(tx, { organizationId, adminUserId })) {
    fail('administrator_deprovisioned', { message: `${admin.email} is deprovisioned. Restore the person first.` })
  }
  if (purpose === 'invite') await refuseWhoSignsIn(tx, asked, context)
  await endLinks(tx, asked, context)
  if (purpose === 'reset') {
    await takeCredentials(tx, asked, context)
    await endSessions(tx, { organizationId, adminUserId, now })
    await forgetFailures(tx, secrets, admin.email)
  }
  const link = await createLink(tx, secrets, { ...asked, organizationId, now })
  const what =
    purpose === 'invite'
      ? `Made a link by which ${describeAdmin(admin)} can choose a password.`
      : `Reset how ${describeAdmin(admin)} signs in, ended all sessions and made a link to choose a new password.`
  await recordAudit(
    tx,
    {
      action: purpose === 'invite' ? 'administrator.invited' : 'administrator.reset',
      about: { administrator: adminUserId },
      description: what,
    },
    context,
  )
  return link
}

/** A link in the place of how someone signs in is a reset, and must be called so. */
async function refuseWhoSignsIn(tx: Tx, { adminUserId }: Invitation, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  if (!(await hasAccounts(tx, organizationId, adminUserId))) return
  fail('invalid', { errors: [{ field: 'id', message: 'signs in already: reset how they do instead' }] })
}

const endLinks = (tx: Tx, { adminUserId }: Invitation, { organizationId, now }: ChangeContext) =>
  tx
    .updateTable('admin_links')
    .set({ used_at: now })
    .where(inOrganization('admin_links', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('used_at', 'is', null)
    .execute()

async function takeCredentials(tx: Tx, { adminUserId }: Invitation, context: ChangeContext): Promise<void> {
  const { organizationId } = context
  await tx
    .deleteFrom('admin_credentials')
    .where(inOrganization('admin_credentials', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .execute()
  await tx
    .deleteFrom('admin_passkeys')
    .where(inOrganization('admin_passkeys', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .execute()
  await tx
    .deleteFrom('admin_identities')
    .where(inOrganization('admin_identities', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .execute()
  await deleteRecoveryCodes(tx, { organizationId, adminUserId })
}
