import type { Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { endAuthLog } from '../auth-logs/end-auth-log.ts'
import { isAsJudged, judge } from './judge.ts'
import { readFacts } from './read-facts.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { isFactor, mayContinue, modeAt } from './session-rules.ts'
import type { Settled } from './settle-session.ts'
import { subjectOfPerson } from './subject-of-person.ts'

/** `isFirst`: by this call. What an earlier one has ended stays as it was. */
export type Answered = { subject: string; session: SignInSession; isFirst: boolean }

/**
 * Ends a sign-in that may continue to the application: the log's success and its webhook, in the transaction of the answer.
 * Undefined when it may not, or when it stands elsewhere by now than its row says: its page settles it first.
 */
export async function finishSignIn(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  change: Occasion,
): Promise<Answered | undefined> {
  const { now } = change
  const session = await lockSession(tx, organizationId, id)
  if (!session?.person_id || (session.mode === 'disabled' && isFactor(session))) return undefined
  const { person_id: personId, auth_log_id: authLogId } = session
  const subject = await subjectOfPerson(tx, organizationId, personId)
  if (session.answered_at !== null) return { subject, session, isFirst: false }
  const judged = judge(session, await readFacts(tx, session, { now, personId }))
  const isToAnswer = isAsJudged(session, judged) && mayAnswer({ session, judged }, now)
  if (!isToAnswer || authLogId === null) return undefined
  const end = { outcome: 'success', word: wordOf({ session, judged }, now) } as const
  if (!(await endAuthLog(tx, { organizationId, authLogId, ...end }, change))) return undefined
  return { subject, session: await writeAnswered(tx, session, now), isFirst: true }
}

async function writeAnswered(tx: Tx, session: SignInSession, now: string): Promise<SignInSession> {
  const { organization_id: organizationId, id, device_id: deviceId } = session
  const answered = { answered_at: now, last_event_at: now }
  await tx
    .updateTable('signin_sessions')
    .set(answered)
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .execute()
  if (session.state === 'warning' && deviceId !== null) await noteWarned(tx, { organizationId, deviceId }, now)
  return { ...session, ...answered }
}

/** Whether the application may be answered now that the person is let in. */
export function mayAnswer({ session, judged: { state } }: Settled, now: string): boolean {
  const isUnproved = state === 'looking' || state === 'linking'
  // A connection that observes lets a known person in although no device has proved itself.
  const isLetIn = isUnproved && modeAt(session, now) === 'observe' && !isFactor(session)
  return (mayContinue(state) || isLetIn) && session.person_id !== null && session.waits_until > now
}

/** What was waived, for the log. */
function wordOf({ session, judged }: Settled, now: string): string {
  if (judged.state === 'bypassed') return ` A code from IT waived the check of the device: "${session.bypass_reason}".`
  const mode = modeAt(session, now)
  if (mode === 'paused') return ' The connection is paused.'
  return mode === 'observe' ? ' The connection observes.' : ''
}

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
