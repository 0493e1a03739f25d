import { randomBytes } from 'node:crypto'
import type { Browser } from '../../base/callers.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { SignInMethod } from '../../base/db/schema.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { leaverOf } from '../../inventory/people/leaver-of.ts'
import { describeBrowser } from './rules.ts'

export const sessionPurpose = 'admin session'

type NewSession = Pick<Browser, 'source' | 'userAgent'> & {
  organizationId: string
  adminUserId: string
  method: SignInMethod
  verifiedAt?: string
  now: string
}

/**
 * Begins a session and returns its secret (256 bits), which is in the cookie only: the database has its keyed hash. Fails with
 * administrator_deprovisioned.
 */
export async function startSession(tx: Tx, secrets: Secrets, asked: NewSession): Promise<string> {
  const { organizationId, adminUserId, method, source, userAgent, now } = asked
  if (await isDeprovisioned(tx, asked)) fail('administrator_deprovisioned')
  const { id } = await tx
    .insertInto('admin_sessions')
    .values({
      organization_id: organizationId,
      admin_user_id: adminUserId,
      method,
      ip_address: source.ipAddress,
      user_agent: describeBrowser(userAgent),
      created_at: now,
      last_seen_at: now,
      verified_at: asked.verifiedAt ?? now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const secret = randomBytes(32).toString('base64url')
  await tx
    .insertInto('admin_session_lookups')
    .values({
      lookup_hash: secrets.lookupHash(sessionPurpose, secret),
      organization_id: organizationId,
      admin_session_id: id,
    })
    .execute()
  return secret
}

/** Whether the administrator is deprovisioned as a person. */
export async function isDeprovisioned(
  tx: Tx,
  { organizationId, adminUserId }: Pick<NewSession, 'organizationId' | 'adminUserId'>,
): Promise<boolean> {
  const admin = await tx
    .selectFrom('admin_users')
    .select(leaverOf('admin_users').as('leaver'))
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', adminUserId)
    .executeTakeFirst()
  return admin?.leaver != null
}
