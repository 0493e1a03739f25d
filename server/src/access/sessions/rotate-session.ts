import { randomBytes } from 'node:crypto'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { sessionPurpose } from './start-session.ts'

/** Gives a session another secret after its holder has proved again who they are; the one before opens nothing. */
export async function rotateSession(
  tx: Tx,
  secrets: Secrets,
  { organizationId, sessionId, now }: { organizationId: string; sessionId: string; now: string },
): Promise<string> {
  const held = await tx
    .updateTable('admin_sessions')
    .set({ verified_at: now })
    .where(inOrganization('admin_sessions', organizationId))
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (!held) fail('not_signed_in')
  const secret = randomBytes(32).toString('base64url')
  await tx
    .updateTable('admin_session_lookups')
    .set({ lookup_hash: secrets.lookupHash(sessionPurpose, secret) })
    .where('organization_id', '=', organizationId)
    .where('admin_session_id', '=', sessionId)
    .execute()
  return secret
}
