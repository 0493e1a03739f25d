import { systemChange } from '../../base/change-context.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { createLink } from './create-link.ts'
import { hasAccounts } from './queries.ts'

export type FirstRunLink = { url: string; expiresAt: string }

/**
 * A link that makes the reader of the terminal the first administrator; undefined when someone can sign in
 * already, or when there is no organization. Several may be valid: the first that is used ends the others.
 */
export async function firstRunLink(
  db: Db,
  secrets: Secrets,
  { baseUrl, now }: { baseUrl: string; now: string },
): Promise<FirstRunLink | undefined> {
  if (await hasAccounts(db)) return undefined
  return transact(db, async (tx) => {
    const organization = await tx.selectFrom('organizations').select('id').orderBy('id').limit(1).executeTakeFirst()
    if (!organization) return undefined
    const asked = { organizationId: organization.id, purpose: 'first_run', adminUserId: null, baseUrl, now } as const
    const link = await createLink(tx, secrets, asked)
    const description = 'Showed a link for the first administrator in the terminal.'
    await recordAudit(
      tx,
      { action: 'organization.first_link_shown', about: {}, description },
      systemChange(organization.id, now),
    )
    return link
  })
}
