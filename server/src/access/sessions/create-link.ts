import type { AdminLinkPurpose } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { generateToken } from '../../base/secrets/token-format.ts'
import { plusMs } from '../../base/time.ts'
import { linkLifetimeMs } from './rules.ts'

export const linkPurpose = 'admin link'
const linkTokenPrefix = 'mstr_link'

type NewLink = {
  organizationId: string
  purpose: AdminLinkPurpose
  /** Null: for the first administrator, who is not known yet. */
  adminUserId: string | null
  baseUrl: string
  now: string
}

/** Makes a one-time link. What opens it stands behind the #, where no server and no log sees it. */
export async function createLink(
  tx: Tx,
  secrets: Secrets,
  asked: NewLink,
): Promise<{ url: string; expiresAt: string }> {
  const { organizationId, purpose, adminUserId, baseUrl, now } = asked
  const expiresAt = plusMs(now, linkLifetimeMs)
  const { id } = await tx
    .insertInto('admin_links')
    .values({
      organization_id: organizationId,
      purpose,
      admin_user_id: adminUserId,
      created_at: now,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const token = generateToken(linkTokenPrefix)
  await tx
    .insertInto('admin_link_lookups')
    .values({ lookup_hash: secrets.lookupHash(linkPurpose, token), organization_id: organizationId, admin_link_id: id })
    .execute()
  const page = purpose === 'first_run' ? 'setup' : 'invite'
  return { url: `${baseUrl}/console/${page}#${token}`, expiresAt }
}
