import { type ComputerType, systemNames, systemsIn } from '@muster/contract/computer-types.ts'
import { listCompanionTypes } from '../../agents/packages/companion-platforms.ts'
import type { Reader } from '../../base/db/transact.ts'
import { minuteMs, plusMs } from '../../base/time.ts'
import { findBypassOffer } from '../bypass/bypass-queries.ts'
import type { DeviceKind, PageState, PageView } from '../page/page-view.ts'
import { browserOf } from '../sessions/browser-of.ts'
import type { Judged } from '../sessions/judge.ts'
import { isRechecking } from '../sessions/recheck.ts'
import { helpCode } from '../sessions/session-codes.ts'
import type { SignInSession } from '../sessions/session-queries.ts'
import { isFactor, isWaived, modeAt } from '../sessions/session-rules.ts'
import { finishPathOf } from './finish-path.ts'
import { findAgentPort } from './known-agent.ts'
import { viewOfLateChecks } from './view-of-late-checks.ts'
import { viewOfTest } from './view-of-test.ts'
import { viewOfThings } from './view-of-things.ts'
import {
  countRunningChecks,
  listAnswered,
  listCheckNames,
  listExemptionRequests,
  listOwnDevices,
  listShownIssues,
} from './view-queries.ts'

/** Before the application gives up, so that nothing is promised that comes too late. */
const leaveMs = 20_000
/** An agent that was heard of within this time is not called stopped. */
const presentMs = 10 * minuteMs

type Facts = {
  judged: Judged
  /** And not what changes in it alone. */
  isWholePage: boolean
  ports: readonly number[]
  now: string
  /** The host of the page. */
  address: string
  /** Where this browser has reached an agent before. */
  knownPort: number | null
  /** The same, when that agent was in contact just now. */
  bouncePort: number | null
}

/** What the page of a sign-in shows now. */
export async function viewOfSession(reader: Reader, session: SignInSession, facts: Facts): Promise<PageView> {
  const { judged, now, ports } = facts
  const { person, device } = judged
  const standing = judged.state
  // The application has its answer, and takes no other. Microsoft Entra gets the same one again.
  const isAnswered = session.answered_at !== null && session.kind !== 'entra'
  const state = isAnswered ? 'ended' : shownState(session, standing, now)
  const isAsserted = session.evidence === 'asserted'
  const isKept = device !== undefined && session.device_id !== null && standing !== 'not_your_device'
  // A page that comes too late says how the checks of the device stand, where they have decided.
  const isDeviceShown = isKept && (state !== 'too_late' || ['blocked', 'warning', 'passed'].includes(standing))
  const fixes = await fixesOf(reader, session, judged, now)
  return {
    id: session.id,
    revision: session.revision,
    helpCode: helpCode(session.id),
    address: facts.address,
    organizationName: session.organization_name,
    applicationName: session.application_name,
    kind: kindOf(session.user_agent),
    browser: browserFacts(session.user_agent),
    surroundings: surroundingsOf(session.user_agent),
    systemsWithApp: state === 'no_answer' ? await systemsWithApp(reader, session) : null,
    state,
    reason: session.detection_failure === 'linking' ? null : session.detection_failure,
    personName: isAsserted ? (person?.name ?? null) : null,
    mail: isAsserted ? (person?.email ?? session.subject) : null,
    deviceName: isDeviceShown ? device.name : null,
    model: isDeviceShown ? device.hardware_model : null,
    serialEnd: isDeviceShown && device.serial ? device.serial.slice(-4) : null,
    answeredDevices: await answeredIn(reader, session, state),
    whyAsk: state === 'ask_it' ? judged.whyAsk : null,
    ...fixes,
    checkNames:
      isAsserted && facts.isWholePage
        ? await listCheckNames(reader, session.organization_id, platformOf(session.user_agent))
        : null,
    runningChecks:
      standing === 'evaluating' && device ? await countRunningChecks(reader, onDevice(session, device)) : 0,
    late: await viewOfLateChecks(reader, session, facts),
    unmet: judged.unmet,
    upstream:
      session.upstream_name === null
        ? null
        : { name: session.upstream_name, failure: session.upstream?.failure ?? null },
    heardOf: state === 'no_answer' && isAsserted ? await heardOf(reader, session, judged, now) : null,
    request: requestOf(judged),
    code: await codeOf(reader, session, judged, now),
    startUrl: session.start_url,
    startedAt: session.started_at,
    waitsUntil: session.waits_until,
    now,
    finishUrl: finishPathOf(session),
    ports,
    // A factor needs the proof in every mode.
    mayPrompt: !isWaived(modeAt(session, now)) || isFactor(session),
    isFactor: isFactor(session),
    isPaused: modeAt(session, now) === 'paused',
    isManagedBrowser: session.is_browser_managed,
    knownPort: facts.knownPort,
    bouncePort: facts.bouncePort,
    isAnswered,
    test: session.is_test ? await viewOfTest(reader, session, standing, now) : null,
  }
}

const onDevice = ({ organization_id: organizationId }: SignInSession, { id: deviceId }: { id: string }) => ({
  organizationId,
  deviceId,
})

function shownState(session: SignInSession, state: PageState, now: string): PageState {
  // What continues is answered until the very end; after that its way on would lead back here.
  const untilMs = ['passed', 'observed', 'bypassed'].includes(state) ? 0 : -leaveMs
  if (state !== 'ended' && plusMs(session.waits_until, untilMs) <= now) return 'too_late'
  return state === 'looking' && session.detection_failure !== null ? 'no_answer' : state
}

/** The things to fix on the device of the sign-in, and how their check again stands. */
async function fixesOf(reader: Reader, session: SignInSession, { state, person, device }: Judged, now: string) {
  const isShown = ['blocked', 'warning', 'passed', 'unfinished', 'not_ready'].includes(state)
  if (!isShown || !device) return { things: [], isRechecking: false, checkedAt: null }
  const place = onDevice(session, device)
  const all = await listShownIssues(reader, place, session.started_at)
  const isOwner = person !== undefined && device.registered_owner_id === person.id
  const rows = state === 'passed' ? all.filter(({ resolved_at: at }) => at !== null) : all
  const things = viewOfThings(rows, {
    now,
    recheckedAt: session.rechecked_at,
    isRechecking: isRechecking(session),
    system: device.operating_system,
    isOwner: isOwner && session.person_id !== null,
    requests: isOwner && rows.length > 0 ? await listExemptionRequests(reader, place, person.id) : [],
  })
  const open = rows.filter(({ resolved_at: at }) => at === null)
  return { things, isRechecking: isRechecking(session), checkedAt: open.map(({ ran_at: at }) => at).sort()[0] ?? null }
}

/** What the page says of codes from IT. Only a person whom the caller has named can have one. */
async function codeOf(
  reader: Reader,
  session: SignInSession,
  { state, person }: Judged,
  now: string,
): Promise<PageView['code']> {
  const { bypass_reason: reason, bypass_ends_at: endsAt, person_id: personId } = session
  if (reason !== null && endsAt !== null) return { isGiven: true, triesLeft: null, reason, endsAt }
  if (session.evidence !== 'asserted' || isFactor(session) || session.is_test) return null
  if (personId === null || !person || state === 'passed') return null
  const { organization_id: organizationId, connection_id: connectionId } = session
  const offer = await findBypassOffer(reader, { organizationId, connectionId, personId, now })
  return { ...offer, reason: null, endsAt: null }
}

function requestOf({ state, request }: Judged): PageView['request'] {
  if (!request || !['awaiting_approval', 'denied'].includes(state)) return null
  return {
    at: request.decided_at ?? request.requested_at,
    message: request.requester_message,
    words: request.end_user_denial_note,
  }
}

/** Nothing is named to someone whom nobody has vouched for. */
async function answeredIn(reader: Reader, session: SignInSession, state: PageState): Promise<readonly string[]> {
  const isNamed = state === 'no_answer' && session.detection_failure === 'several_devices'
  const isKnown = isNamed && session.evidence === 'asserted' && session.person_id !== null
  return isKnown && session.answered_devices.length > 0 ? listAnswered(reader, session) : []
}

/** The one device of this kind that is the person's, when its agent was heard of just now or has been silent for a while. */
async function heardOf(reader: Reader, session: SignInSession, { person }: Judged, now: string) {
  if (!person) return null
  const deviceType = deviceTypeOf(session.user_agent)
  const own = await listOwnDevices(reader, {
    organizationId: session.organization_id,
    personId: person.id,
    deviceType,
  })
  const [device] = own
  if (own.length !== 1 || !device) return null
  const place = { organizationId: session.organization_id, deviceId: device.id }
  const isRunning = (await findAgentPort(reader, place, now))?.isReachable === true
  const at = device.last_seen_at
  if (isRunning) return { deviceName: device.name, at: at ?? now, isRunning }
  return at === null || plusMs(at, presentMs) > now ? null : { deviceName: device.name, at, isRunning }
}

/** Null where the computer's own system is among them. */
async function systemsWithApp(reader: Reader, session: SignInSession): Promise<string | null> {
  const types = await listCompanionTypes(reader)
  return types.includes(deviceTypeOf(session.user_agent)) ? null : systemsIn(types)
}

/** What the user agent says of the computer; a claim of the browser's. */
function deviceTypeOf(userAgent: string): ComputerType {
  if (/Macintosh/.test(userAgent)) return 'Mac'
  return /Windows/.test(userAgent) ? 'Windows' : 'Linux'
}

/** Systems that Muster does not run on, as their browsers name themselves. */
const otherSystems = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad|iPod/],
  ['ChromeOS', /CrOS/],
] as const

const otherSystemOf = (userAgent: string): string | undefined =>
  otherSystems.find(([, pattern]) => pattern.test(userAgent))?.[0]

function surroundingsOf(userAgent: string): PageView['surroundings'] {
  if (otherSystemOf(userAgent) !== undefined) return 'phone'
  return /MSAppHost|WebView/.test(userAgent) ? 'web_view' : 'browser'
}

const kinds = { Mac: 'Mac', Windows: 'PC', Linux: 'computer' } as const
const platforms = { Mac: 'darwin', Windows: 'windows', Linux: 'linux' } as const

const kindOf = (userAgent: string): DeviceKind =>
  otherSystemOf(userAgent) === undefined ? kinds[deviceTypeOf(userAgent)] : 'device'
const platformOf = (userAgent: string): string => platforms[deviceTypeOf(userAgent)]

function browserFacts(userAgent: string): PageView['browser'] {
  const { name, version } = browserOf(userAgent)
  return {
    name: name || 'Your browser',
    version,
    system: otherSystemOf(userAgent) ?? systemNames[deviceTypeOf(userAgent)],
  }
}
