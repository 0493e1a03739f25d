import type { AuthLogEventType } from '@muster/contract/auth-logs.ts'
import type { QueryCreator } from 'kysely'
import type { Database } from '../../base/db/schema.ts'
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
  const open = tx.with('open', () => touched(tx, step, { isEvent: true }))
  const { numInsertedOrUpdatedRows: written } = await insertEvent(open, step, { type, description }).executeTakeFirst()
  return Number(written) > 0
}

type WithOpen = QueryCreator<Database & { open: { events_count: number; issues_count: number } }>

/** The event of a log that `open` has just counted. */
export const insertEvent = (
  build: WithOpen,
  { organizationId, authLogId, now }: Step,
  { type, description }: Pick<RecordedEvent, 'type' | 'description'>,
) =>
  build
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
