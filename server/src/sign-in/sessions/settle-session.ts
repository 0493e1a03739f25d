import type { ProvedDevice } from '../../agents/device-proofs/judge-proof.ts'
import type { Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { refreshStale } from '../../compliance/results/refresh-failing.ts'
import { bindIdentity, lockFirstContact } from './find-person.ts'
import { type Judged, judge } from './judge.ts'
import { beginLog, logUnknown, noteChange } from './log-session.ts'
import { endRecheck } from './recheck.ts'
import { lockSession, type SignInSession } from './session-queries.ts'
import { isWaived, modeAt } from './session-rules.ts'

/** Whether `settleSession` would write nothing: a page that is only looked at opens no transaction then. */
export function isSettled(session: SignInSession, { state, person, device }: Judged): boolean {
  const isBegun = session.person_id !== null || person === undefined
  const isRecheckOver = session.rechecked_at === null || session.recheck_ended_at !== null
  return state === session.state && (device?.id ?? null) === session.device_id && isBegun && isRecheckOver
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
 * Writes where a locked sign-in stands, with what the sign-in log says of it, in one transaction. The log begins when somebody
 * is vouched for; a test of an administrator has none, and binds nobody. One who comes on the list while their page waits has another one before, which has failed.
 */
export async function settleLocked(
  tx: Tx,
  found: SignInSession,
  proved: ProvedDevice | undefined,
  occasion: Occasion,
): Promise<Settled> {
  const { now } = occasion
  const { organization_id: organizationId, id } = found
  if (found.state === 'identifying') return { session: found, judged: await judge(tx, found, { now }) }
  const session = withPeople(await beginEvaluation(tx, found, proved, now), proved)
  await lockFirstContact(tx, session)
  const judged = await judge(tx, session, { now, deviceId: session.device_id ?? proved?.deviceId ?? null })
  const { state, person, device } = judged
  const isNew = person !== undefined && session.person_id === null
  const begun = session.is_test ? undefined : await beginLogOf(tx, session, { state, person }, occasion)
  const authLogId = begun ?? session.auth_log_id
  if (isNew && !session.is_test) await bindIdentity(tx, session, person.id, now)
  const keptDeviceId = device?.id ?? session.device_id
  const change = {
    state,
    authLogId,
    device: keptDeviceId === null ? undefined : device,
    says: sayingsOf(session, proved),
  }
  // A log that begins now knows nothing of a device that proved itself before.
  await noteChange(tx, isNew ? { ...session, device_id: null } : session, change, now)
  const ended = await endRecheck(tx, session, { state, authLogId }, now)
  const isElsewhere = state !== session.state || keptDeviceId !== session.device_id
  const isMoved = isElsewhere || isNew || begun !== undefined || ended || session !== found
  if (!isMoved) return { session, judged }
  const after = {
    ...{ state, device_id: keptDeviceId, auth_log_id: authLogId, person_id: person?.id ?? session.person_id },
    ...{ evaluating_since: session.evaluating_since, people_count: session.people_count, tab: session.tab },
    ...{ last_event_at: now, revision: session.revision + 1 },
    ...(ended && { recheck_ended_at: now }),
  }
  await tx
    .updateTable('signin_sessions')
    .set(after)
    .where(inOrganization('signin_sessions', organizationId))
    .where('id', '=', id)
    .execute()
  return { session: { ...session, ...after }, judged }
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
