import type { SessionState } from '../../base/db/schema.ts'
import { dayMs, plusMs } from '../../base/time.ts'
import type { SignInFacts } from './read-facts.ts'
import type { SignInSession } from './session-queries.ts'
import { type DeviceStanding, judgeSession, limits, modeAt } from './session-rules.ts'

/** Where a sign-in stands, with the facts that say why. */
export type Judged = Pick<SignInFacts, 'person' | 'device' | 'request' | 'unmet' | 'whyAsk'> & { state: SessionState }

/** Where the sign-in stands, given what is known of it. Reads and writes nothing. */
export function judge(session: SignInSession, facts: SignInFacts): Judged {
  const { person, device, request, unmet, whyAsk } = facts
  return { state: stateOf(session, facts), person, device, request, unmet, whyAsk }
}

/** Whether the row of a sign-in says where it stands, on which device and of whom. */
export const isAsJudged = (session: SignInSession, { state, person, device }: Judged): boolean =>
  state === session.state &&
  (device === undefined || device.id === session.device_id) &&
  (person === undefined || session.person_id !== null)

function stateOf(session: SignInSession, facts: SignInFacts): SessionState {
  if (session.state === 'ended' || facts.isGone) return 'ended'
  // Until its upstream has said who it is of, nothing of it is known, whatever proves itself.
  if (session.state === 'identifying') return 'identifying'
  const { now, person, device, mayRegister, unmet } = facts
  const isLoopOver = session.is_loop_waived || session.answered_at !== null
  const state = judgeSession({
    ...{ person, mayRegister, isReady: unmet.length === 0 },
    mode: modeAt(session, now),
    kind: session.kind,
    isBypassed: session.bypass_code_id !== null,
    device: device && standingOf(session, { ...facts, device }),
    isLooping: person !== undefined && !isLoopOver && facts.answeredInVain >= limits.answers,
  })
  return state === 'looking' && session.detection_failure === 'linking' ? 'linking' : state
}

type WithDevice = SignInFacts & { device: NonNullable<SignInFacts['device']> }

function standingOf(session: SignInSession, { now, device, request, pending }: WithDevice): DeviceStanding {
  const isDenied = request?.status === 'denied' && (request.decided_at ?? '') >= session.started_at
  const blocksSoon = device.will_block_at !== null && device.will_block_at <= plusMs(now, dayMs)
  const since = session.evaluating_since
  const isInTime = since !== null && now < plusMs(since, limits.evaluatingMs)
  return {
    ownerId: device.registered_owner_id,
    isSuspended: device.registration_suspended_at !== null,
    authState: device.auth_state,
    ...{ isShared: device.isShared, isKeyKept: device.isKeyKept, isHeld: device.isHeld },
    request: request?.status === 'pending' ? 'pending' : isDenied ? 'denied' : undefined,
    isWarningDue: blocksSoon || device.warned_at === null || device.warned_at <= plusMs(now, -dayMs),
    isEvaluating: isInTime && pending.blocking > 0,
    isUnfinished: pending.outdated > 0,
  }
}
