import type { SignInReason } from '@muster/contract/sign-in-reasons.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { maxEvents, overSince } from './rules.ts'
/** An open log, and when something happens in it. */
export type Step = {
  organizationId: string
  authLogId: string
  now: string
  /** Why it would fail if nothing happened in it anymore; left out where that stays as it was. */
  reason?: SignInReason | undefined
}

/**
 * Keeps a log from running out and its row locked until the transaction ends. No row when it is over, or, with
 * `isEvent`, when it has as many events as are kept: then it is left to run out.
 */
export const touched = (tx: Tx, { organizationId, authLogId, now, reason }: Step, { isEvent = false } = {}) =>
  tx
    .updateTable('auth_log_open_sessions')
    .set((open) => ({
      touched_at: open.fn<string>('greatest', ['touched_at', open.cast(open.val(now), 'timestamptz')]),
      events_count: open('events_count', '+', isEvent ? 1 : 0),
      ...(reason && { reason }),
    }))
    .where(inOrganization('auth_log_open_sessions', organizationId))
    .where('auth_log_id', '=', authLogId)
    .where('touched_at', '>', overSince(now))
    // One place is left for the last event.
    .$if(isEvent, (update) => update.where('events_count', '<', maxEvents - 1))
    .returning(['events_count', 'issues_count'])

export const touchAuthLog = (tx: Tx, step: Step) => touched(tx, step).executeTakeFirst()
