import type { AuthLogEventType } from '@muster/contract/auth-logs.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { Step } from './touch-session.ts'

type WrittenEvent = Step & { position: number; type: AuthLogEventType; description: string }

/** The caller holds the session's open row, whose count of events gives the position. */
export async function writeEvent(tx: Tx, event: WrittenEvent): Promise<void> {
  const { organizationId, authLogId, position, type, description, now } = event
  await tx
    .insertInto('auth_log_events')
    .values({
      organization_id: organizationId,
      auth_log_id: authLogId,
      position,
      type,
      description,
      occurred_at: now,
    })
    .execute()
}
