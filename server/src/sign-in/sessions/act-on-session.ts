import { maxIssues, raiseExemptionRequest } from '../../administration/requests/raise-exemption-request.ts'
import { withdrawExemptionRequest } from '../../administration/requests/withdraw-exemption-request.ts'
import { withdrawRegistrationRequest } from '../../administration/requests/withdraw-registration-request.ts'
import { type ChangeContext, newChange, type Occasion } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { fail } from '../../base/errors.ts'
import { snoozeCheck } from '../../compliance/exemptions/snooze-check.ts'
import { recordAuthLogEvent } from '../auth-logs/record-auth-log-event.ts'
import { beginRecheck } from './recheck.ts'
import { refuseManyRequests } from './refuse-many-requests.ts'
import { type Place, register } from './register-on-session.ts'
import { listIssues, type SignInSession } from './session-queries.ts'
import { mayBePutOff } from './session-rules.ts'
import { settleSession } from './settle-session.ts'

export type Act =
  | { kind: 'recheck' }
  | { kind: 'snooze'; issueId: string }
  | { kind: 'exemption'; issueId: string; message: string }
  | { kind: 'withdraw'; requestId: string }
  | { kind: 'register'; message: string }
  | { kind: 'withdraw_registration' }
  | { kind: 'seen'; issueIds: readonly string[] }

/**
 * Does what the person asks for on the page, by the commands that the API has, and settles the sign-in in one transaction.
 * Fails with not_found before a device has proved itself to a known person, with rate_limited where they have asked IT too
 * often, and as the commands do.
 */
export async function actOnSession(
  db: Db,
  { organization_id: organizationId, id }: SignInSession,
  act: Act,
  occasion: Occasion,
) {
  await transact(db, async (tx) => {
    const { session, judged } = (await settleSession(tx, { organizationId, id }, occasion)) ?? fail('not_found')
    const { device_id: deviceId, person_id: personId, auth_log_id: authLogId } = session
    if (deviceId === null || personId === null || authLogId === null) return fail('not_found')
    // Of a device of someone else a person may ask IT for it, and nothing more.
    const isForeign = session.state === 'not_your_device' && act.kind !== 'register'
    if (isForeign || session.state === 'ended') return fail('not_found')
    const context = await changeOf(tx, session, personId, occasion)
    await doAct(tx, { session, judged, organizationId, deviceId, personId, authLogId }, act, context)
    await settleSession(tx, { organizationId, id }, context)
  })
}

async function changeOf(
  tx: Tx,
  { organization_id: organizationId, ip_address: ipAddress }: SignInSession,
  personId: string,
  { now, ...cause }: Occasion,
): Promise<ChangeContext> {
  const { name, email } = await tx
    .selectFrom('people')
    .select(['name', 'email'])
    .where(inOrganization('people', organizationId))
    .where('id', '=', personId)
    .executeTakeFirstOrThrow()
  return newChange({ type: 'Person', id: personId, name, email, source: { ...cause, ipAddress } }, organizationId, now)
}

function doAct(tx: Tx, place: Place, act: Act, context: ChangeContext): Promise<void> {
  switch (act.kind) {
    case 'recheck':
      return beginRecheck(tx, place.session, place.deviceId, context.now)
    case 'register':
      return register(tx, place, act.message, context)
    case 'withdraw_registration':
      return withdrawRegistrationRequest(tx, place, context)
    case 'withdraw':
      return withdrawExemptionRequest(tx, { requestId: act.requestId, personId: place.personId }, context)
    case 'seen':
      return noteSeen(tx, place, act.issueIds, context.now)
    case 'snooze':
    case 'exemption':
      return putOff(tx, place, act, context)
  }
}

type PutOff = Extract<Act, { kind: 'snooze' | 'exemption' }>

async function putOff(tx: Tx, place: Place, act: PutOff, context: ChangeContext): Promise<void> {
  const { organizationId, authLogId, deviceId, personId } = place
  const open = (await listIssues(tx, organizationId, deviceId)).filter(mayBePutOff)
  const issue = open.find(({ id }) => id === act.issueId)
  if (!issue) return fail('not_found')
  const step = { organizationId, authLogId, now: context.now }
  if (act.kind === 'snooze') {
    const until = await snoozeCheck(tx, { deviceId, checkId: issue.check_id }, context)
    await recordAuthLogEvent(tx, { ...step, type: 'issue_snoozed', description: `Issue ${issue.id}, until ${until}.` })
    return
  }
  await refuseManyRequests(tx, place, context.now)
  // The page shows the issues of a check as one thing.
  const ofCheck = open.filter((one) => one.check_id === issue.check_id)
  const issueIds = ofCheck.slice(0, maxIssues).map(({ id }) => id)
  await raiseExemptionRequest(tx, { deviceId, personId, issueIds, message: act.message }, context)
  const named = issueIds.length === 1 ? `Issue ${issue.id}.` : `Issues ${issueIds.join(', ')}.`
  await recordAuthLogEvent(tx, { ...step, type: 'exemption_requested', description: named })
}

const maxSeen = 20

async function noteSeen(tx: Tx, place: Place, issueIds: readonly string[], now: string): Promise<void> {
  const { organizationId, authLogId, deviceId } = place
  const open = await listIssues(tx, organizationId, deviceId)
  const seen = open.filter(({ id }) => issueIds.includes(id)).slice(0, maxSeen)
  if (seen.length === 0) return
  const description = `Issues ${seen.map(({ id }) => id).join(', ')}.`
  await recordAuthLogEvent(tx, { organizationId, authLogId, type: 'issue_viewed', description, now })
}
