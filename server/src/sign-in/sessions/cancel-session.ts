import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { endAuthLog } from '../auth-logs/end-auth-log.ts'

type Cancellation = { organizationId: string; id: string; error?: string; reason?: SignInReason }

/** Ends a sign-in that was not answered yet, as the person, an upstream or the request asks. Its log has failed. */
export async function cancelSession(
  tx: Tx,
  { organizationId, id, error, reason = 'cancelled' }: Cancellation,
  change: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<void> {
  const ended = await tx
    .updateTable('signin_sessions')
    .set((row) => ({
      state: 'ended',
      ...(error !== undefined && { oauth_error: error }),
      last_event_at: change.now,
      revision: row('revision', '+', 1),
    }))
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .where('answered_at', 'is', null)
    .where('state', '<>', 'ended')
    .returning('auth_log_id')
    .executeTakeFirst()
  if (!ended?.auth_log_id) return
  await endAuthLog(tx, { organizationId, authLogId: ended.auth_log_id, outcome: 'denied', reason }, change)
}
