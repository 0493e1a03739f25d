import type { ProvedDevice } from '../../agents/device-proofs/judge-proof.ts'
import type { Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { refreshStale } from '../../compliance/results/refresh-failing.ts'
import { bindIdentity, lockFirstContact, personIdOf } from './find-person.ts'
import { isAsJudged, type Judged, judge } from './judge.ts'
import { beginLog, logUnknown, noteChange } from './log-session.ts'
import { noFacts, readFacts } from './read-facts.ts'
import { endRecheck, isRechecking } from './recheck.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { isWaived, modeAt } from './session-rules.ts'

/** Whether `settleSession` would write nothing: a page that is only looked at opens no transaction then. */
export const isSettled = (session: SignInSession, judged: Judged): boolean =>
  isAsJudged(session, judged) && !isRechecking(session)

/** Where the sign-in stands now, with the device that it has or that has just proved itself. Reads only. */
export async function judgeNow(
  reader: Reader,
  session: SignInSession,
  at: { now: string; deviceId?: string | null },
): Promise<Judged> {
  return judge(session, await readFacts(reader, session, { ...at, personId: await personIdOf(reader, session) }))
}

export type Settled = { session: SignInSession; judged: Judged }

/** Settles the sign-in as it is now. Undefined when there is none. */
export async function settleSession(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
  occasion: Occasion,
): Promise<Settled | undefined> {
  const session = await lockSession(tx, organizationId, id)
  return session && settleLocked(tx, session, undefined, occasion)
}

/**
 * Writes where a locked sign-in stands, with what the sign-in log says of it, in one transaction. Facts are read once, and
 * writing comes last: what is written before makes sure that the facts are those of now.
 */
export async function settleLocked(
  tx: Tx,
  found: SignInSession,
  proved: ProvedDevice | undefined,
  occasion: Occasion,
): Promise<Settled> {
  const { now } = occasion
  if (found.state === 'identifying') return { session: found, judged: judge(found, noFacts(now)) }
  const session = withPeople(await beginEvaluation(tx, found, proved, now), proved)
  await lockFirstContact(tx, session)
  const judged = await judgeNow(tx, session, { now, deviceId: session.device_id ?? proved?.deviceId ?? null })
  const logged = await logJudged(tx, session, { judged, says: sayingsOf(session, proved) }, occasion)
  const isSame = session === found && isAsJudged(session, judged) && !logged.isRecheckOver
  if (isSame && logged.authLogId === session.auth_log_id) return { session, judged }
  return { session: await writeJudged(tx, session, { judged, ...logged }, now), judged }
}

type Logged = { authLogId: string | null; isRecheckOver: boolean }

/**
 * Says in the log what is new. The log begins when someone is vouched for; a test of an administrator has none, and binds
 * nobody. One who comes on the list while their page waits has another log before, which has failed.
 */
async function logJudged(
  tx: Tx,
  session: SignInSession,
  { judged, says }: { judged: Judged; says: string },
  occasion: Occasion,
): Promise<Logged> {
  const { now } = occasion
  const { state, person, device } = judged
  const isNew = person !== undefined && session.person_id === null
  const begun = session.is_test ? undefined : await beginLogOf(tx, session, judged, occasion)
  const authLogId = begun ?? session.auth_log_id
  if (isNew && !session.is_test) await bindIdentity(tx, session, person.id, now)
  // A log that begins now knows nothing of a device that proved itself before.
  await noteChange(tx, isNew ? { ...session, device_id: null } : session, { state, authLogId, device, says }, now)
  return { authLogId, isRecheckOver: await endRecheck(tx, session, { state, authLogId }, now) }
}

async function writeJudged(
  tx: Tx,
  session: SignInSession,
  { judged: { state, person, device }, authLogId, isRecheckOver }: Logged & { judged: Judged },
  now: string,
): Promise<SignInSession> {
  const { person_id: personId, device_id: deviceId, revision } = session
  const after = {
    ...{ state, auth_log_id: authLogId, device_id: device?.id ?? deviceId, person_id: person?.id ?? personId },
    ...{ evaluating_since: session.evaluating_since, people_count: session.people_count, tab: session.tab },
    ...{ last_event_at: now, revision: revision + 1 },
    ...(isRecheckOver && { recheck_ended_at: now }),
  }
  await tx
    .updateTable('signin_sessions')
    .set(after)
    .where(inOrganization('signin_sessions', session.organization_id))
    .where('id', '=', session.id)
    .execute()
  return { ...session, ...after }
}

/** Begins the log where one is due now. */
const beginLogOf = (
  tx: Tx,
  session: SignInSession,
  { state, person }: Pick<Judged, 'state' | 'person'>,
  occasion: Occasion,
) =>
  person !== undefined && session.person_id === null
    ? beginLog(tx, session, { person }, occasion.now)
    : logUnknown(tx, session, state, occasion)

/** Who else uses a device counts from the proof that it is found by. */
const withPeople = (session: SignInSession, proved: ProvedDevice | undefined): SignInSession =>
  proved && session.device_id === null && proved.people !== session.people_count
    ? { ...session, people_count: proved.people }
    : session

function sayingsOf({ network }: SignInSession, proved: ProvedDevice | undefined): string {
  if (!proved) return ''
  const isElsewhere = proved.network !== null && proved.network !== network
  return `${proved.says}${isElsewhere ? '; the browser is on a different network than the agent' : ''}`
}

/** Checks that last ran too long ago run again before the device is judged, unless nothing depends on it. */
async function beginEvaluation(
  tx: Tx,
  session: SignInSession,
  proved: ProvedDevice | undefined,
  now: string,
): Promise<SignInSession> {
  if (!proved || session.device_id !== null || isWaived(modeAt(session, now))) return session
  const { organization_id: organizationId } = session
  const { checks_count: asked } = await refreshStale(tx, { organizationId, deviceIds: [proved.deviceId], now })
  return asked === 0 ? session : { ...session, evaluating_since: now }
}
