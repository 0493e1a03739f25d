import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { orNotFound } from '../../base/errors.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'
import { describeAdmin } from '../administrators/rules.ts'
import { endSessions } from './end-sessions.ts'

type Revocation = {
  /** Whose they are. */
  adminUserId: string
  /** That one alone; not found unless it was still there. */
  sessionId?: string
  /** All but that one. */
  exceptId?: string
}

/** Ends sessions before their time and writes it down. Returns how many there were. */
export async function revokeSessions(tx: Tx, asked: Revocation, context: ChangeContext): Promise<number> {
  const { organizationId, actor, now } = context
  const { adminUserId, sessionId } = asked
  const found = await tx
    .selectFrom('admin_users')
    .select(['first_name', 'last_name', 'email'])
    .where(inOrganization('admin_users', organizationId))
    .where('id', '=', adminUserId)
    .executeTakeFirst()
  const admin = orNotFound(found)
  const count = await endSessions(tx, { ...asked, organizationId, now })
  if (count === 0 && sessionId !== undefined) orNotFound(undefined)
  if (count === 0) return 0
  const whose = actor.id === adminUserId ? 'their own' : describeAdmin(admin)
  const description = `Ended ${count} ${count === 1 ? 'session' : 'sessions'} of ${whose}.`
  await recordAudit(
    tx,
    { action: 'administrator.sessions_ended', about: { administrator: adminUserId }, description },
    context,
  )
  return count
}
