import type { ChangeOrigin } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { endAuthLog } from '../auth-logs/end-auth-log.ts'
import type { SignInSession } from './session-queries.ts'
import { isFactor, mayContinue, modeAt, type SessionState } from './session-rules.ts'
import { type Settled, settleSession } from './settle-session.ts'
import { subjectOfPerson } from './subject-of-person.ts'

type Change = Pick<ChangeOrigin, 'cause' | 'now'>
export type Answered = { subject: string; grantId: string; session: SignInSession }

/**
 * Ends a sign-in that may continue to the application: the answer's grant, the log's success and its webhook in one
 * transaction. Undefined when it may not.
 */
export async function finishSignIn(
  tx: Tx,
  { organizationId, id, grantId }: { organizationId: string; id: string; grantId: string },
  change: Change,
): Promise<Answered | undefined> {
  const settled = await settleSession(tx, { organizationId, id }, change)
  const personId = settled?.session.person_id
  if (!settled || !personId) return undefined
  const { session, judged } = settled
  const { state } = judged
  const subject = await subjectOfPerson(tx, organizationId, personId)
  if (session.mode === 'disabled' && isFactor(session)) return undefined
  // The answer was lost on its way: it is given again, and nothing is announced twice.
  if (session.grant_id !== null) return { subject, grantId: session.grant_id, session }
  const isObserved = modeAt(session, change.now) === 'observe'
  const mayWaive = isObserved && session.evidence === 'asserted' && !isFactor(session)
  const isWaived = mayWaive && isUnproved(state)
  if (!mayContinue(state) && !isWaived) return undefined
  if (session.auth_log_id === null || session.waits_until <= change.now) return undefined
  const end = { outcome: 'success', word: wordOf(settled, isObserved) } as const
  if (!(await endAuthLog(tx, { organizationId, authLogId: session.auth_log_id, ...end }, change))) return undefined
  await tx
    .updateTable('signin_sessions')
    .set({ grant_id: grantId, answered_at: change.now, last_event_at: change.now })
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .execute()
  if (state === 'warning' && session.device_id !== null) {
    await noteWarned(tx, { organizationId, deviceId: session.device_id }, change.now)
  }
  return { subject, grantId, session }
}

/** What was waived, for the log. */
function wordOf({ session, judged }: Settled, isObserved: boolean): string {
  if (judged.state === 'bypassed') return ` A code from IT waived the check of the device: "${session.bypass_reason}".`
  if (!isObserved) return ''
  return session.mode === 'observe' ? ' The connection observes.' : ' The connection is paused.'
}

/** Where a connection that observes lets a known person in although no device has proved itself. */
const isUnproved = (state: SessionState): boolean => state === 'looking' || state === 'linking'

async function noteWarned(
  tx: Tx,
  { organizationId, deviceId }: { organizationId: string; deviceId: string },
  now: string,
): Promise<void> {
  await tx
    .insertInto('signin_warnings')
    .values({ organization_id: organizationId, device_id: deviceId, shown_at: now })
    .onConflict((conflict) => conflict.constraint('signin_warnings_pkey').doUpdateSet({ shown_at: now }))
    .execute()
}
