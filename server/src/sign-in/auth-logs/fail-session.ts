import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { announce } from '../../signals/events/announce.ts'
import { newsOfSession } from './news-of-session.ts'

/**
 * Ends a session that will not succeed anymore and announces that, unless it is over already. What stood in the way is why it
 * failed; `reason` where nothing did.
 */
export async function failSession(
  tx: Tx,
  { organizationId, authLogId, reason }: { organizationId: string; authLogId: string; reason: SignInReason },
  context: Pick<ChangeOrigin, 'cause' | 'now'>,
): Promise<void> {
  const open = await tx
    .deleteFrom('auth_log_open_sessions')
    .where(inOrganization('auth_log_open_sessions', organizationId))
    .where('auth_log_id', '=', authLogId)
    .returning('reason')
    .executeTakeFirst()
  if (!open) return
  const session = await tx
    .updateTable('auth_logs')
    .set({ failure_reason: open.reason === 'abandoned' || open.reason === null ? reason : open.reason })
    .where(inOrganization('auth_logs', organizationId))
    .where('id', '=', authLogId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await announce(tx, [newsOfSession('auth_logs.failure', session, context)])
}
