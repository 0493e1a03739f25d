import type { Occasion } from '../../base/change-context.ts'
import type { SessionState } from '../../base/db/schema.ts'
import type { Reader, Tx } from '../../base/db/transact.ts'
import { beginAuthLog, type LoggedPerson } from '../auth-logs/begin-auth-log.ts'
import { endAuthLog } from '../auth-logs/end-auth-log.ts'
import { recognizeDevice } from '../auth-logs/recognize-device.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import { maxIssues } from '../auth-logs/rules.ts'
import { showIssues } from '../auth-logs/show-issues.ts'
import { touchAuthLog } from '../auth-logs/touch-auth-log.ts'
import { browserOf } from './browser-of.ts'
import { hasOtherAccount, listPeopleOfAddress } from './find-person.ts'
import type { SignInDevice } from './read-facts.ts'
import { reasonOf } from './reason-of.ts'
import { listIssues, type SignInSession } from './session-queries.ts'

/** Begins the log of a sign-in. Returns the log's identifier. */
export function beginLog(tx: Tx, session: SignInSession, whom: LoggedPerson, now: string): Promise<string> {
  const { organization_id: organizationId, application_name: name, client_id: clientId } = session
  return beginAuthLog(tx, {
    organizationId,
    ...whom,
    ipAddress: session.ip_address,
    browser: { ...browserOf(session.user_agent), userAgent: session.user_agent },
    application: { id: clientId, name },
    connectionId: session.connection_id,
    attempt: `Arrived from "${name}" at ${session.started_at}. ${howKnown(session)}.${requestOf(session)}`,
    now,
  })
}

/**
 * Writes once that someone whom the provider vouched for is not on the list, or has left: a log that has failed at once.
 * Returns its identifier; undefined where there is nothing to write.
 */
export async function logUnknown(
  tx: Tx,
  session: SignInSession,
  state: SessionState,
  occasion: Occasion,
): Promise<string | undefined> {
  const { organization_id: organizationId, auth_log_id: isLogged, subject, upstream } = session
  if (state !== 'unknown_person' || isLogged !== null) return undefined
  const vouched = { name: upstream?.said?.name ?? '', email: subject ?? '' }
  const authLogId = await beginLog(tx, session, { vouched }, occasion.now)
  const end = { outcome: 'denied', reason: await whyUnknown(tx, session) } as const
  await endAuthLog(tx, { organizationId, authLogId, ...end }, occasion)
  return authLogId
}

/** Why nobody on the list is the one whom the provider vouched for. */
export async function whyUnknown(reader: Reader, session: SignInSession) {
  const { organization_id: organizationId, subject } = session
  if (subject === null) return 'person_unknown'
  const people = await listPeopleOfAddress(reader, organizationId, subject)
  if (people.some(({ isHere }) => !isHere)) return 'person_deprovisioned'
  const [person] = people
  const isAnother = person !== undefined && (await hasOtherAccount(reader, session, person.id))
  return isAnother ? 'another_account' : 'person_unknown'
}

/** What Microsoft calls the request. */
const requestOf = ({ entra_request: request }: SignInSession): string =>
  request?.request_id ? ` Microsoft's request ${request.request_id}.` : ''

const howKnown = ({ kind, subject_issuer: issuer, upstream_name: name }: SignInSession): string =>
  kind === 'application' ? `"${name ?? issuer}" says who it is` : 'A signed request says who it is'

type Change = { state: SessionState; authLogId: string | null; device: SignInDevice | undefined; says: string }

/** Writes into the log what is new since `before`. Nothing where no log has begun. */
export async function noteChange(tx: Tx, before: SignInSession, change: Change, now: string): Promise<void> {
  const { state, authLogId, device, says } = change
  const { organization_id: organizationId } = before
  if (authLogId === null) return
  const step = { organizationId, authLogId, now }
  const reason = reasonOf({ state, device })
  if (device === undefined) {
    if (state === 'ended' || state === 'unknown_person') await touchAuthLog(tx, { ...step, reason })
    return
  }
  if (before.device_id === null) {
    await recognizeDevice(tx, { ...step, device, reason, description: `The device proved itself${says}.` })
  }
  if (state === before.state) return
  if (before.device_id !== null) await touchAuthLog(tx, { ...step, reason })
  const isTheirs = device.registered_owner_id === before.person_id && device.registration_suspended_at === null
  const registration = registrationEvent(before.state, state, isTheirs)
  if (registration) await recordAuthLogEvent(tx, { ...step, ...registration })
  if (state === 'blocked') {
    await recordAuthLogEvent(tx, { ...step, type: 'device_blocked', description: 'Issues block the device.' })
  }
  if (state === 'blocked' || state === 'warning') {
    const issues = await listIssues(tx, organizationId, device.id)
    await showIssues(tx, { ...step, issueIds: issues.slice(0, maxIssues).map(({ id }) => id) })
  }
}

function registrationEvent(before: SessionState, state: SessionState, isTheirs: boolean) {
  if (state === 'denied') {
    return { type: 'device_registration_blocked', description: 'An administrator denied the registration.' } as const
  }
  if (before !== 'awaiting_approval' || !isTheirs) return undefined
  return { type: 'device_registration_successful', description: 'An administrator approved the registration.' } as const
}
