import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

type Ending = { organizationId: string; adminUserId: string; sessionId?: string; exceptId?: string; now: string }

/** Ends an administrator's sessions, or one of them: from the commit on no process knows them. Returns how many. */
export async function endSessions(tx: Tx, asked: Ending): Promise<number> {
  const { organizationId, adminUserId, sessionId, exceptId, now } = asked
  const ended = await tx
    .updateTable('admin_sessions')
    .set({ ended_at: now })
    .where(inOrganization('admin_sessions', organizationId))
    .where('admin_user_id', '=', adminUserId)
    .where('ended_at', 'is', null)
    .$if(sessionId !== undefined, (query) => query.where('id', '=', sessionId ?? ''))
    .$if(exceptId !== undefined, (query) => query.where('id', '<>', exceptId ?? ''))
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}
