import type { Browser } from '../../base/callers.ts'
import { type Actor, newChange, systemActorAt } from '../../base/change-context.ts'
import { closestSpelling, equalsFolded } from '../../base/db/folded.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { addAdminUser } from '../administrators/add-admin-user.ts'
import { describeAdmin } from '../administrators/rules.ts'
import { linkPurpose } from './create-link.ts'
import { endEarlierSession } from './end-earlier-session.ts'
import { endSessions } from './end-sessions.ts'
import { hashPassword } from './passwords.ts'
import { findLink, hasAccounts, type LinkRow } from './queries.ts'
import { refusePassword } from './refuse-password.ts'
import { setPassword } from './set-password.ts'
import { startSession } from './start-session.ts'
import { forgetFailures } from './throttle-sign-ins.ts'

type Acceptance = Browser & {
  token: string
  password: string
  /** Who the first administrator is; other links know it. */
  email?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  now: string
}

/** Lets the holder of a one-time link choose a password, and signs them in. Returns the session's secret. */
export async function acceptLink(db: Db, secrets: Secrets, asked: Acceptance): Promise<string> {
  const lookupHash = secrets.lookupHash(linkPurpose, asked.token)
  const link = (await findLink(db, lookupHash, asked.now)) ?? fail('link_ended')
  await refusePassword(asked.password, { email: link.email ?? asked.email ?? '' })
  const passwordHash = await hashPassword(secrets, asked.password)
  return transact(db, async (tx) => {
    await useLink(tx, link, asked.now)
    const admin = link.admin_user_id === null ? await addFirst(tx, link, asked) : await knownAdmin(tx, link, asked.now)
    const { organization_id: organizationId } = link
    await setPassword(tx, { organizationId, adminUserId: admin.id, passwordHash, now: asked.now })
    await endFirstRunLinks(tx, organizationId, asked.now)
    await forgetFailures(tx, secrets, admin.email)
    const { source, userAgent, now } = asked
    const session = { organizationId, adminUserId: admin.id, method: 'link', source, userAgent, now } as const
    await endEarlierSession(tx, secrets, asked)
    const secret = await startSession(tx, secrets, session)
    const actor: Actor = { type: 'User', ...admin, source }
    const description = 'Chose a password with a one-time link and signed in to the console.'
    await recordAudit(
      tx,
      { action: 'administrator.password_chosen', about: { administrator: admin.id }, description },
      newChange(actor, organizationId, now),
    )
    return secret
  })
}

/** Of two who use it at once, one does. */
async function useLink(tx: Tx, { organization_id, id }: LinkRow, now: string): Promise<void> {
  const used = await tx
    .updateTable('admin_links')
    .set({ used_at: now })
    .where(inOrganization('admin_links', organization_id))
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!used) fail('link_ended')
}

/** Whichever was used: someone can sign in now. */
const endFirstRunLinks = (tx: Tx, organizationId: string, now: string) =>
  tx
    .updateTable('admin_links')
    .set({ used_at: now })
    .where(inOrganization('admin_links', organizationId))
    .where('purpose', '=', 'first_run')
    .where('used_at', 'is', null)
    .execute()

type Known = { id: string; name: string; email: string }

async function knownAdmin(tx: Tx, link: LinkRow, now: string): Promise<Known> {
  const { organization_id: organizationId, admin_user_id, first_name, last_name, email } = link
  const id = admin_user_id ?? fail('link_ended')
  await tx
    .updateTable('admin_links')
    .set({ used_at: now })
    .where(inOrganization('admin_links', organizationId))
    .where('admin_user_id', '=', id)
    .where('used_at', 'is', null)
    .execute()
  await endSessions(tx, { organizationId, adminUserId: id, now })
  return { id, name: `${first_name} ${last_name}`.trim(), email: email ?? '' }
}

async function addFirst(tx: Tx, link: LinkRow, asked: Acceptance) {
  const { email = '', firstName = '', lastName = '', source, now } = asked
  const actor = systemActorAt(source)
  const { organization_id: organizationId } = link
  await tx.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate().execute()
  if (await hasAccounts(tx, organizationId)) fail('link_ended')
  const known = await tx
    .selectFrom('admin_users')
    .select(['id', 'first_name', 'last_name', 'email'])
    .where(inOrganization('admin_users', organizationId))
    .where('access', '=', 'full')
    .where(equalsFolded('email', email))
    .orderBy(closestSpelling('email', email), 'desc')
    .executeTakeFirst()
  if (known) {
    const description = `Gave ${describeAdmin(known)} the link for the first administrator.`
    await recordAudit(
      tx,
      { action: 'administrator.first_link_given', about: { administrator: known.id }, description },
      newChange(actor, organizationId, now),
    )
    return { id: known.id, name: `${known.first_name} ${known.last_name}`.trim(), email: known.email }
  }
  const details = { firstName, lastName, email, access: 'full', restrictions: [] } as const
  const id = await addAdminUser(tx, details, newChange(actor, organizationId, now))
  return { id, name: `${firstName} ${lastName}`.trim(), email }
}
