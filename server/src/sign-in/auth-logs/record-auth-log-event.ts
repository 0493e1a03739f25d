import type { AuthLogEventType } from '@muster/contract/auth-logs.ts'
import type { Tx } from '../../base/db/transact.ts'
import { storable } from '../../base/storable.ts'
import { longest } from './rules.ts'
import { type Step, touched } from './touch-auth-log.ts'

/** `sign_in_success` is recorded by `endAuthLog`. */
type RecordedEvent = Step & { type: Exclude<AuthLogEventType, 'sign_in_success'>; description: string }

/**
 * Writes down a step of signing in, by one statement. False when the log is over, or has as many events as are kept.
 */
export async function recordAuthLogEvent(tx: Tx, { type, description, ...step }: RecordedEvent): Promise<boolean> {
  const { organizationId, authLogId, now } = step
  const { numInsertedOrUpdatedRows: written } = await tx
    .with('open', () => touched(tx, step, { isEvent: true }))
    .insertInto('auth_log_events')
    .columns(['organization_id', 'auth_log_id', 'position', 'type', 'description', 'occurred_at'])
    .expression((from) =>
      from
        .selectFrom('open')
        .select((row) => [
          row.val(organizationId).as('organization_id'),
          row.val(authLogId).as('auth_log_id'),
          'open.events_count',
          row.val(type).as('type'),
          row.val(storable(description, longest.description)).as('description'),
          row.val(now).as('occurred_at'),
        ]),
    )
    .executeTakeFirst()
  return Number(written) > 0
}
