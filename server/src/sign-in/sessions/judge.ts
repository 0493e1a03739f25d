import type { Reader } from '../../base/db/transact.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import { listUnmetChecks } from '../../compliance/results/list-unmet-checks.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { findPersonId } from './find-person.ts'
import { findStanding, type StandingRow } from './find-standing.ts'
import { countPendingChecks, type SignInSession } from './session-queries.ts'
import {
  type DeviceStanding,
  judgeSession,
  limits,
  modeAt,
  type SessionState,
  type WhyAsk,
  whyAskOf,
} from './session-rules.ts'

export type SignInPerson = { id: string; name: string; email: string; hasUsedFirstTrust: boolean }
export type SignInDevice = Pick<StandingRow, 'hardware_model' | 'serial' | 'operating_system' | 'agent_version'> &
  Pick<StandingRow, 'registered_owner_id' | 'registration_suspended_at' | 'will_block_at' | 'warned_at'> & {
    id: string
    name: string
    auth_state: DeviceStanding['authState']
    isShared: boolean
    isKeyKept: boolean
    isHeld: boolean
  }
export type RegistrationAnswer = {
  status: NonNullable<StandingRow['status']>
  requested_at: string
  requester_message: string
  decided_at: string | null
  end_user_denial_note: string | null
}

export type Judged = {
  state: SessionState
  person: SignInPerson | undefined
  device: SignInDevice | undefined
  /** What became of the person's latest request to register the device. */
  request: RegistrationAnswer | undefined
  /** Checks that have to pass before the device is registered and do not, by name. */
  unmet: readonly string[]
  /** Why the device cannot become the person's first one by a click, where the page says so. */
  whyAsk: WhyAsk | null
}

/** Where the sign-in stands now, with the device that it has or that has just proved itself. Reads only. */
export async function judge(
  reader: Reader,
  session: SignInSession,
  { now, deviceId = session.device_id }: { now: string; deviceId?: string | null },
): Promise<Judged> {
  const nothing = { person: undefined, device: undefined, request: undefined, unmet: [], whyAsk: null }
  if (session.state === 'ended') return { state: 'ended', ...nothing }
  // Until its upstream has said who it is of, nothing of it is known, whatever proves itself.
  if (session.state === 'identifying') return { state: 'identifying', ...nothing }
  const { organization_id: organizationId } = session
  const personId = session.person_id ?? (await findPersonId(reader, session)) ?? null
  const asked = { personId, deviceId, now }
  const row = await findStanding(reader, session, asked)
  const { person, device, request } = row ? partsOf(row) : nothing
  if (!row || (deviceId !== null && !device)) return { state: 'ended', ...nothing, person }
  const isFree = device?.registered_owner_id === null && person?.hasUsedFirstTrust === false
  const whyAsk = device?.registered_owner_id === null ? whyAskOf({ ...row, peopleCount: session.people_count }) : null
  const mayTrust = isFree && whyAsk === null
  const { mayRegister, unmet } = mayTrust && device ? await registrationOf(reader, organizationId, device.id) : none
  const isLoopOver = session.is_loop_waived || session.answered_at !== null
  const state = judgeSession({
    ...{ person, mayRegister, isReady: unmet.length === 0 },
    mode: modeAt(session, now),
    kind: session.kind,
    isBypassed: session.bypass_code_id !== null,
    device: device && (await standingOf(reader, session, { device, request }, now)),
    isLooping: person !== undefined && !isLoopOver && row.answered >= limits.answers,
  })
  if (state === 'looking' && session.detection_failure === 'linking')
    return { state: 'linking', person, device, request, unmet, whyAsk }
  return { state, person, device, request, unmet, whyAsk }
}

const none = { mayRegister: false, unmet: [] as string[] }

/** Whether a device that is registered to no one may become the person's first one, and which checks stand in the way. */
async function registrationOf(reader: Reader, organizationId: string, deviceId: string) {
  const settings = await findSettings(reader, organizationId)
  if (!settings.is_first_device_trusted) return none
  const checkIds = settings.registration_required_checks
  return { mayRegister: true, unmet: await listUnmetChecks(reader, { organizationId, deviceId, checkIds }) }
}

/** The row of a standing by what it is about; a join that found nothing is left out. */
function partsOf(row: StandingRow): Pick<Judged, 'person' | 'device' | 'request'> {
  const { person_id: personId, device_id: deviceId, status, auth_state: authState } = row
  const ofGroups = row.authentication_mode === 'only_registered_owner_or_group_members'
  return {
    person:
      personId === null
        ? undefined
        : {
            ...{ id: personId, name: row.person_name ?? '', email: row.person_email ?? '' },
            hasUsedFirstTrust: row.has_used_first_trust === true,
          },
    device:
      deviceId === null || authState === null
        ? undefined
        : {
            ...row,
            ...{ id: deviceId, name: row.device_name ?? '', auth_state: authState },
            isShared: row.authentication_mode === 'anyone' || (ofGroups && Boolean(row.is_group_allowed)),
            ...{ isKeyKept: Boolean(row.is_key_kept), isHeld: Boolean(row.is_held) },
          },
    request:
      status === null
        ? undefined
        : {
            ...{ status, requested_at: row.requested_at ?? '', requester_message: row.requester_message ?? '' },
            ...{ decided_at: row.decided_at, end_user_denial_note: row.end_user_denial_note },
          },
  }
}

async function standingOf(
  reader: Reader,
  session: SignInSession,
  { device, request }: Pick<Judged, 'request'> & { device: SignInDevice },
  now: string,
): Promise<DeviceStanding> {
  const isDenied = request?.status === 'denied' && (request.decided_at ?? '') >= session.started_at
  const blocksSoon = device.will_block_at !== null && device.will_block_at <= plusMs(now, dayMs)
  return {
    ownerId: device.registered_owner_id,
    isSuspended: device.registration_suspended_at !== null,
    authState: device.auth_state,
    ...{ isShared: device.isShared, isKeyKept: device.isKeyKept, isHeld: device.isHeld },
    request: request?.status === 'pending' ? 'pending' : isDenied ? 'denied' : undefined,
    isWarningDue: blocksSoon || device.warned_at === null || device.warned_at <= plusMs(now, -dayMs),
    ...(await pendingOf(reader, session, device.id, now)),
  }
}

async function pendingOf(reader: Reader, session: SignInSession, deviceId: string, now: string) {
  const since = session.evaluating_since
  if (since === null) return { isEvaluating: false, isUnfinished: false }
  const place = { organizationId: session.organization_id, deviceId }
  const counted = { since, countsSince: plusMs(now, -limits.lastResultMs) }
  const { blocking, outdated } = await countPendingChecks(reader, place, counted)
  const isInTime = now < plusMs(since, limits.evaluatingMs)
  return { isEvaluating: isInTime && blocking > 0, isUnfinished: outdated > 0 }
}
