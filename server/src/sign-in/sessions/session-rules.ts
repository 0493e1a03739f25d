import type { SessionState } from '../../base/db/schema.ts'
import { dayMs, minuteMs } from '../../base/time.ts'

export const limits = {
  idleMs: 30 * minuteMs,
  /** Until someone is vouched for. */
  unvouchedMs: 15 * minuteMs,
  /** A test of a connection is over after this. */
  testMs: 15 * minuteMs,
  /** Sign-ins of one network and connection that may begin within `windowMs`. */
  begun: 60,
  windowMs: 10 * minuteMs,
  /** Stale checks are waited for this long. */
  evaluatingMs: 8_000,
  /** A recheck that brings no result is over after this. */
  recheckMs: 60_000,
  /** A result is used for this long when a recheck brings none. */
  lastResultMs: 7 * dayMs,
  /** So many answers in vain for one person and connection within `loopMs` are a loop. */
  answers: 4,
  loopMs: 2 * minuteMs,
  /** An application redeems its code within this, or does not. */
  takenMs: 10_000,
  /** What a person may ask of IT within `requestsMs`, on whatever device. */
  requests: 20,
  requestsMs: dayMs,
  /** How often one sign-in may send its browser upstream. */
  legs: 10,
  /** A request is known for this long, after which its times refuse it: a hint of Entra ten minutes ahead is good for twenty. */
  requestMs: 21 * minuteMs,
  /** A page that finds no device writes no more of it than this. */
  detectionFailures: 20,
  detectionFailureMs: 30_000,
} as const

/** Whether an issue blocks its device, now or later: what does not is neither snoozed nor exempted. */
export const mayBePutOff = ({ blocks_device_at: at }: { blocks_device_at: string | null }): boolean => at !== null

/** Where the person may continue to the application. */
export const mayContinue = (state: SessionState): boolean =>
  ['warning', 'passed', 'observed', 'bypassed'].includes(state)

type Mode = 'enforce' | 'observe' | 'disabled'

/** What a connection does at this moment. */
export const modeAt = (connection: { mode: Mode; paused_until: string | null }, now: string): Mode | 'paused' =>
  connection.mode === 'enforce' && (connection.paused_until ?? '') > now ? 'paused' : connection.mode

/** Whether what the checks of a device say keeps nobody out at this moment. */
export const isWaived = (mode: Mode | 'paused'): boolean => mode === 'observe' || mode === 'paused'

/**
 * A connection of Microsoft Entra takes the device for a factor of the person: `observe` waives what its checks say, never
 * whose it is nor that it proves itself.
 */
export const isFactor = ({ kind }: { kind: ConnectionKind }): boolean => kind === 'entra'

type ConnectionKind = 'second_step' | 'application' | 'entra'

/**
 * An address as it is compared at a sign-in: by case, whatever the language, and by composition (RFC 8265 §3.3, without its
 * mapping of width). A dotted capital I is none of the i's, and no letter of another alphabet passes for one.
 */
export const foldAddress = (address: string): string => address.trim().normalize('NFC').toLowerCase().normalize('NFC')

/** Why a device that is registered to no one is not offered on first use. */
export type WhyAsk = 'ended' | 'several_people' | 'multi_session'

type FirstUse = { ended_at: string | null; operating_system: string | null; peopleCount: number | null }

/**
 * Whether someone ended the person's registration of it, or it is a machine that others use too: whose it is then says no
 * click. Null where neither is known.
 */
export function whyAskOf({ ended_at: endedAt, operating_system: system, peopleCount }: FirstUse): WhyAsk | null {
  if (endedAt !== null) return 'ended'
  if (peopleCount !== null && peopleCount > 1) return 'several_people'
  return system !== null && /windows server|multi-session/i.test(system) ? 'multi_session' : null
}

export type DeviceStanding = {
  ownerId: string | null
  isSuspended: boolean
  authState: 'good' | 'notified' | 'will_block' | 'blocked'
  /** Whether the person may use it besides its owner. */
  isShared: boolean
  /** Its key spoke for it before the registration was suspended, and does so now. */
  isKeyKept: boolean
  /** It would be blocked, and its block is held or was discarded. */
  isHeld: boolean
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
  person: { id: string } | undefined
  device: DeviceStanding | undefined
  mayRegister: boolean
  /** Checks that have to pass before a first device is registered do. */
  isReady: boolean
  mode: Mode | 'paused'
  kind: ConnectionKind
  isLooping: boolean
  /** IT gave the person a code for this sign-in, and it was accepted. */
  isBypassed: boolean
}

/** Where a sign-in stands whose person somebody has vouched for, given what is known now. */
export function judgeSession(standing: Standing): SessionState {
  const { person, device } = standing
  if (!person) return 'unknown_person'
  const state = waivedState(standing) ?? (device ? judgeDevice({ ...standing, device, person }) : 'looking')
  return standing.isLooping && mayContinue(state) ? 'keeps_asking' : state
}

/** A code and a pause waive the check of the device, whatever it would say. They are no factor. */
function waivedState(standing: Standing): SessionState | undefined {
  if (isFactor(standing)) return undefined
  if (standing.isBypassed) return 'bypassed'
  return standing.mode === 'paused' ? 'observed' : undefined
}

type Judged = Pick<Standing, 'mode' | 'kind' | 'mayRegister' | 'isReady'> & {
  device: DeviceStanding
  person: { id: string }
}

function judgeDevice({ mode, kind, mayRegister, isReady, device, person }: Judged): SessionState {
  const isOwner = device.ownerId === person.id
  const isObserved = isWaived(mode)
  const isAnyones = isObserved && !isFactor({ kind })
  if (device.isSuspended && isAnyones) return 'observed'
  if (device.isSuspended) return afterRequest(device, isOwner && device.isKeyKept ? 'confirm' : 'ask_it')
  const mayUse = isOwner || (device.ownerId !== null && device.isShared)
  if (!mayUse && isAnyones) return 'observed'
  if (!mayUse && device.ownerId !== null) return afterRequest(device, 'not_your_device')
  if (!mayUse) return afterRequest(device, !mayRegister ? 'ask_it' : isReady ? 'register' : 'not_ready')
  if (isObserved) return device.authState === 'blocked' ? 'observed' : 'passed'
  if (device.isEvaluating) return 'evaluating'
  if (device.authState === 'blocked') return 'blocked'
  if (device.isUnfinished) return 'unfinished'
  return (device.authState !== 'good' || device.isHeld) && device.isWarningDue ? 'warning' : 'passed'
}

function afterRequest({ request }: DeviceStanding, otherwise: SessionState): SessionState {
  if (request === undefined) return otherwise
  return request === 'pending' ? 'awaiting_approval' : 'denied'
}
