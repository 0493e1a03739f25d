import type { Reader } from '../../base/db/transact.ts'
import { plusMs } from '../../base/time.ts'
import { listUnmetChecks } from '../../compliance/results/list-unmet-checks.ts'
import { findSettings } from '../../inventory/organizations/settings.ts'
import { findStanding, type StandingRow } from './find-standing.ts'
import { countPendingChecks, type SignInSession } from './session-queries.ts'
import { type DeviceStanding, limits, type WhyAsk, whyAskOf } from './session-rules.ts'

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

/** All that decides where a sign-in stands besides its own row, as it was at one moment. */
export type SignInFacts = {
  now: string
  person: SignInPerson | undefined
  device: SignInDevice | undefined
  /** What became of the person's latest request to register the device. */
  request: RegistrationAnswer | undefined
  /** Checks that have to pass before the device is registered and do not, by name. */
  unmet: readonly string[]
  /** Why the device cannot become the person's first one by a click, where the page says so. */
  whyAsk: WhyAsk | null
  /** Whether the device may become the person's first one by a click. */
  mayRegister: boolean
  /** Answers of late that a loop would have. */
  answeredInVain: number
  /** Of the checks that were asked to run for this sign-in and have not yet: those that may block, and whose last result no longer counts. */
  pending: { blocking: number; outdated: number }
  /** Whether the row of the sign-in or its device is no longer there. */
  isGone: boolean
}

type Asked = {
  now: string
  /** Who signs in, as far as that is known. */
  personId: string | null
  deviceId?: string | null
}

/** Of a sign-in that is over, or whose upstream has not said yet who it is of: nothing is to be known. */
export const noFacts = (now: string): SignInFacts => ({
  now,
  ...{ person: undefined, device: undefined, request: undefined, unmet: [], whyAsk: null, mayRegister: false },
  ...{ answeredInVain: 0, pending: none, isGone: false },
})

const none = { blocking: 0, outdated: 0 }

/** Reads what decides about a sign-in, with the device that it has or that has just proved itself. */
export async function readFacts(
  reader: Reader,
  session: SignInSession,
  { now, personId, deviceId = session.device_id }: Asked,
): Promise<SignInFacts> {
  const nothing = noFacts(now)
  if (session.state === 'ended' || session.state === 'identifying') return nothing
  const row = await findStanding(reader, session, { personId, deviceId, now })
  if (!row) return { ...nothing, isGone: true }
  const { person, device, request } = partsOf(row)
  if (deviceId !== null && !device) return { ...nothing, person, isGone: true }
  const isOwnerless = device?.registered_owner_id === null
  const whyAsk = isOwnerless ? whyAskOf({ ...row, peopleCount: session.people_count }) : null
  const isFirst = isOwnerless && person?.hasUsedFirstTrust === false && whyAsk === null
  return {
    ...{ now, person, device, request, whyAsk, isGone: false, answeredInVain: row.answered },
    ...(isFirst ? await registrationOf(reader, session.organization_id, device.id) : notOffered),
    pending: device ? await pendingOf(reader, session, device.id, now) : none,
  }
}

const notOffered = { mayRegister: false, unmet: [] }

/** Whether a device that is registered to no one may become the person's first one, and which checks stand in the way. */
async function registrationOf(reader: Reader, organizationId: string, deviceId: string) {
  const settings = await findSettings(reader, organizationId)
  if (!settings.is_first_device_trusted) return notOffered
  const checkIds = settings.registration_required_checks
  return { mayRegister: true, unmet: await listUnmetChecks(reader, { organizationId, deviceId, checkIds }) }
}

function pendingOf(reader: Reader, session: SignInSession, deviceId: string, now: string) {
  const since = session.evaluating_since
  if (since === null) return none
  const place = { organizationId: session.organization_id, deviceId }
  return countPendingChecks(reader, place, { since, countsSince: plusMs(now, -limits.lastResultMs) })
}

/** The row of a standing by what it is about; a join that found nothing is left out. */
function partsOf(row: StandingRow): Pick<SignInFacts, 'person' | 'device' | 'request'> {
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
