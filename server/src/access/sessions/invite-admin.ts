import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { type Actor, recordAudit } from '../../signals/audit/record-audit.ts'
import { describeAdmin } from '../administrators/rules.ts'
import { createLink } from './create-link.ts'
import { endSessions } from './end-sessions.ts'
import { hasAccounts } from './queries.ts'
import { deleteRecoveryCodes } from './second-factor.ts'
import { forgetFailures } from './throttle-sign-ins.ts'

type Invitation = {
  organizationId: string
  adminUserId: string
  /** `reset` also takes away every way to sign in that there was, and ends the sessions. */
  purpose: 'invite' | 'reset'
  baseUrl: string
  actor: Actor
  now: string
}

/** Makes a one-time link by which an administrator chooses a password. Links made before end with it. */
export async function inviteAdmin(
  tx: Tx,
  secrets: Secrets,
  asked: Invitation,
): Promise<{ url: string; expiresAt: string }> {
  const { organizationId, adminUserId, purpose, actor, now } = asked
  const found = await tx
    .selectFrom('admin_users')
    .select(['first_name', 'last_name', 'email'])
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', adminUserId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const admin = orNotFound(found)
  if (purpose === 'invite') await refuseWhoSignsIn(tx, asked)
  await endLinks(tx, asked)
  if (purpose === 'reset') {
    await takeCredentials(tx, asked)
    await endSessions(tx, { organizationId, adminUserId, now })
    await forgetFailures(tx, secrets, admin.email)
  }
  const link = await createLink(tx, secrets, asked)
  const what =
    purpose === 'invite'
      ? `Made a link by which ${describeAdmin(admin)} can choose a password.`
      : `Reset how ${describeAdmin(admin)} signs in, ended all sessions and made a link to choose a new password.`
  await recordAudit(tx, { organizationId, actor, about: { administrator: adminUserId }, description: what, now })
  return link
}

/** A link in the place of how someone signs in is a reset, and must be called so. */
async function refuseWhoSignsIn(tx: Tx, { organizationId, adminUserId }: Invitation): Promise<void> {
  if (!(await hasAccounts(tx, organizationId, adminUserId))) return
  fail('invalid', { errors: [{ field: 'id', message: 'signs in already: reset how they do instead' }] })
}

const endLinks = (tx: Tx, { organizationId, adminUserId, now }: Invitation) =>
  tx
    .updateTable('admin_links')
    .set({ used_at: now })
    .where(inOrganization('admin_links', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('used_at', 'is', null)
    .execute()

async function takeCredentials(tx: Tx, { organizationId, adminUserId }: Invitation): Promise<void> {
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
