import { dayMs, minuteMs } from '../../base/time.ts'

/** Where a sign-in stands. The page of it shows one thing for each. */
export type SessionState =
  | 'identifying'
  | 'looking'
  | 'weak_evidence'
  | 'unknown_person'
  | 'linking'
  | 'which_device'
  | 'evaluating'
  | 'register'
  | 'not_ready'
  | 'ask_it'
  | 'awaiting_approval'
  | 'denied'
  | 'not_your_device'
  | 'unfinished'
  | 'blocked'
  | 'warning'
  | 'passed'
  | 'observed'
  | 'bypassed'
  | 'keeps_asking'
  | 'ended'

export const limits = {
  idleMs: 30 * minuteMs,
  /** Sign-ins of one network and connection that may begin within `windowMs`. */
  begun: 60,
  windowMs: 10 * minuteMs,
  /** Stale checks are waited for this long. */
  evaluatingMs: 8_000,
  /** A recheck that brings no result is over after this. */
  recheckMs: 60_000,
  /** A result is used for this long when a recheck brings none. */
  lastResultMs: 7 * dayMs,
  /** So many answers for one person and connection within `loopMs` are a loop. */
  answers: 4,
  loopMs: 2 * minuteMs,
  /** How often one sign-in may send its browser upstream. */
  legs: 10,
  /** A replayed request is known for this long. */
  requestMs: 15 * minuteMs,
  /** A page that finds no device writes no more of it than this. */
  detectionFailures: 20,
  detectionFailureMs: 30_000,
} as const

/** Where the person may continue to the application. */
export const mayContinue = (state: SessionState): boolean =>
  ['warning', 'passed', 'observed', 'bypassed'].includes(state)

type Mode = 'enforce' | 'observe' | 'disabled'

/** What a connection does at this moment: while it is paused it only observes. */
export const modeAt = (connection: { mode: Mode; paused_until: string | null }, now: string): Mode =>
  connection.mode === 'enforce' && (connection.paused_until ?? '') > now ? 'observe' : connection.mode

/**
 * A connection of Microsoft Entra takes the device for a factor of the person: `observe` waives what its checks say, never
 * whose it is nor that it proves itself.
 */
export const isFactor = ({ kind }: { kind: 'oidc' | 'entra' }): boolean => kind === 'entra'

/** An address as it is compared: only ASCII letters are folded, so that no other letter passes for one. */
export const foldAddress = (address: string): string =>
  address.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export type DeviceStanding = {
  ownerId: string | null
  isSuspended: boolean
  authState: 'good' | 'notified' | 'will_block' | 'blocked'
  /** Whether the person may use it besides its owner. */
  isShared: boolean
  /** What became of the person's latest request to register it, since this sign-in began; a pending one counts always. */
  request: 'pending' | 'denied' | undefined
  /** Checks that have to run again first are still running. */
  isEvaluating: boolean
  /** A check that may block has no result that still counts. */
  isUnfinished: boolean
  /** What does not block it yet was not shown lately. */
  isWarningDue: boolean
}

export type Standing = {
  evidence: 'asserted' | 'hinted' | 'none'
  /** The caller has signed in the person that it hints at. */
  isHintTrusted: boolean
  person: { id: string } | undefined
  device: DeviceStanding | undefined
  mayRegister: boolean
  /** Checks that have to pass before a first device is registered do. */
  isReady: boolean
  mode: Mode
  kind: 'oidc' | 'entra'
  isLooping: boolean
  /** IT gave the person a code for this sign-in, and it was accepted. */
  isBypassed: boolean
}

/**
 * Where a sign-in stands, given what is known now. With a hint alone the page names nothing that the server knows, and
 * only a device that is registered to the hinted person passes.
 */
export function judgeSession(standing: Standing): SessionState {
  const { evidence, isHintTrusted, person, device } = standing
  if (evidence === 'none' || (evidence === 'hinted' && !isHintTrusted)) return 'weak_evidence'
  // A code waives a check; it is no factor.
  const isBypassed = standing.isBypassed && !isFactor(standing)
  if (isBypassed && evidence === 'asserted' && person) return standing.isLooping ? 'keeps_asking' : 'bypassed'
  if (!device) return evidence === 'asserted' && !person ? 'unknown_person' : 'looking'
  const isOwner = person !== undefined && device.ownerId === person.id
  if (evidence === 'hinted' && (!isOwner || device.isSuspended)) return 'weak_evidence'
  if (!person) return 'unknown_person'
  const state = judgeDevice({ ...standing, device, isOwner })
  return standing.isLooping && mayContinue(state) ? 'keeps_asking' : state
}

type Judged = Pick<Standing, 'mode' | 'kind' | 'mayRegister' | 'isReady'> & { device: DeviceStanding; isOwner: boolean }

function judgeDevice({ mode, kind, mayRegister, isReady, device, isOwner }: Judged): SessionState {
  const isObserved = mode === 'observe'
  const isAnyones = isObserved && !isFactor({ kind })
  if (device.isSuspended) return isAnyones ? 'observed' : afterRequest(device, 'ask_it')
  const mayUse = isOwner || (device.ownerId !== null && device.isShared)
  if (!mayUse && isAnyones) return 'observed'
  if (!mayUse && device.ownerId !== null) return afterRequest(device, 'not_your_device')
  if (!mayUse) return afterRequest(device, !mayRegister ? 'ask_it' : isReady ? 'register' : 'not_ready')
  if (isObserved) return device.authState === 'blocked' ? 'observed' : 'passed'
  if (device.isEvaluating) return 'evaluating'
  if (device.authState === 'blocked') return 'blocked'
  if (device.isUnfinished) return 'unfinished'
  return device.authState !== 'good' && device.isWarningDue ? 'warning' : 'passed'
}

function afterRequest({ request }: DeviceStanding, otherwise: SessionState): SessionState {
  if (request === undefined) return otherwise
  return request === 'pending' ? 'awaiting_approval' : 'denied'
}
