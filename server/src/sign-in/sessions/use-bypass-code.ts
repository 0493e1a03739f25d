import type { Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { spendBypassCode } from '../bypass/bypass-codes.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { isFactor } from './session-rules.ts'
import { settleLocked } from './settle-session.ts'

/**
 * Lets a person in by a code from IT, once. True when it was accepted; a wrong one counts as a try. Fails with not_found
 * where no one may enter one: before the caller has named the person, and after the answer.
 */
export function useBypassCode(
  { db, secrets }: { db: Db; secrets: Secrets },
  { organization_id: organizationId, id }: SignInSession,
  { text, occasion }: { text: string; occasion: Occasion },
): Promise<boolean> {
  const { now } = occasion
  return transact(db, async (tx) => {
    const session = (await lockSession(tx, organizationId, id)) ?? fail('not_found')
    const { person_id: personId, connection_id: connectionId } = session
    const isOver = session.state === 'ended' || session.answered_at !== null || session.auth_log_id === null
    const isAsked = session.evidence === 'asserted' && !isFactor(session)
    if (!isAsked || personId === null || isOver) return fail('not_found')
    if (session.bypass_code_id !== null) return true
    const spent = await spendBypassCode(tx, secrets, { organizationId, personId, connectionId, text, now })
    if ('triesLeft' in spent) return false
    const bypass = { bypass_code_id: spent.id, bypass_reason: spent.reason, bypass_ends_at: spent.expires_at }
    await tx
      .updateTable('signin_sessions')
      .set(bypass)
      .where(inOrganization('signin_sessions', organizationId))
      .where('id', '=', id)
      .execute()
    await settleLocked(tx, { ...session, ...bypass }, undefined, occasion)
    return true
  })
}
