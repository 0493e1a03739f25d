import type { AgentTransport } from './agent-transport.ts'
import type { QueryResult } from './answer-queries.ts'
import type { ConfigPlan, Intervals } from './config-plan.ts'
import { createRounds, type Rounds } from './count-round.ts'
import { type DeviceProfile, deviceProfile, type PlatformWeights } from './device-profile.ts'
import type { FailureClock } from './failure-clock.ts'
import type { QueryAnswers } from './query-answers.ts'
import type { SimulationCounters } from './simulation-counters.ts'
import { createTimerWheel, type TimerWheel } from './timer-wheel.ts'

export type FleetSettings = {
  seed: number
  devices: number
  weights: PlatformWeights
  enrollSecret: string
  /** Path that the five endpoints share, without a slash at the end. */
  basePath: string
  failures: FailureClock
  intervals: Partial<Intervals>
  connections: number
  /** Share of accepted requests that are sent a second time, as a broken connection makes a real agent do. */
  duplicateRate: number
  /** Share of log periods in which a device has a status line to send. */
  statusLineRate: number
  /** How often each device answers before the run ends; without it that plays no part. */
  rounds?: number
}

/** A device has four things that come due: enrollment, configuration, distributed read, log. */
export const eventKinds = ['enroll', 'config', 'read', 'log'] as const
export type EventKind = (typeof eventKinds)[number]

/** All devices of a run. Per device: a node key, a few numbers in typed arrays, and nothing else while it is idle. */
export type Fleet = {
  settings: FleetSettings
  transport: AgentTransport
  answers: QueryAnswers
  counters: SimulationCounters
  wheel: TimerWheel
  /** Milliseconds since the run's time zero, which a resumed run shares with the first. */
  now: () => number
  /** Unix time of time zero, in milliseconds. */
  startedAtMs: number
  nodeKeys: string[]
  plans: (ConfigPlan | undefined)[]
  plansByText: Map<string, ConfigPlan>
  acceleratedUntil: Float64Array
  loggedUntil: Float64Array
  failedAttempts: Uint8Array
  /** Distributed writes that failed and go out with the next ones. */
  unsentResults: Map<number, QueryResult[]>
  /** Log lines that were refused, or did not fit. */
  unsentLines: Map<number, string[]>
  /** Latest status by check and device: 0 unknown, 1 passing, 2 failing. */
  checkStates: Map<number, Uint8Array>
  idleAnswers: Set<string>
  rounds: Rounds | undefined
  enrolledBefore: Uint8Array
  devicesWithKey: number
  ready: { events: number[]; head: number }
  /** Events that wait for a connection or have a call under way. */
  isBusy: Uint8Array
  dueAtOfReady: Float64Array
  inFlight: number
  duplicateDraws: number
  /** Whether the loop that starts calls is running: a call that ends at once must not start it again inside itself. */
  isStarting: boolean
  isStopping: boolean
}

const slotMs = 20
const slotsPerTurn = 16_384

export type FleetParts = Pick<Fleet, 'settings' | 'transport' | 'answers' | 'counters' | 'now' | 'startedAtMs'>

export function createFleet(parts: FleetParts, nodeKeys: readonly string[]): Fleet {
  const { devices, rounds } = parts.settings
  return {
    ...parts,
    wheel: createTimerWheel(devices * eventKinds.length, slotMs, parts.now(), slotsPerTurn),
    nodeKeys: Array.from({ length: devices }, (_, device) => nodeKeys[device] ?? ''),
    plans: new Array(devices).fill(undefined),
    plansByText: new Map(),
    acceleratedUntil: new Float64Array(devices),
    loggedUntil: Float64Array.from({ length: devices }, (_, device) => (nodeKeys[device] ? parts.now() : -1)),
    failedAttempts: new Uint8Array(devices * eventKinds.length),
    unsentResults: new Map(),
    unsentLines: new Map(),
    checkStates: new Map(),
    idleAnswers: new Set(),
    rounds: rounds === undefined ? undefined : createRounds(rounds, devices),
    enrolledBefore: Uint8Array.from({ length: devices }, (_, device) => (nodeKeys[device] ? 1 : 0)),
    devicesWithKey: nodeKeys.slice(0, devices).filter((key) => key !== '').length,
    ready: { events: [], head: 0 },
    isBusy: new Uint8Array(devices * eventKinds.length),
    dueAtOfReady: new Float64Array(devices * eventKinds.length),
    inFlight: 0,
    duplicateDraws: 0,
    isStarting: false,
    isStopping: false,
  }
}

export function eventOf(fleet: Fleet, device: number, kind: EventKind): number {
  return eventKinds.indexOf(kind) * fleet.settings.devices + device
}

export function scheduleIn(fleet: Fleet, device: number, kind: EventKind, delayMs: number): void {
  fleet.wheel.schedule(eventOf(fleet, device, kind), fleet.now() + delayMs)
}

/** Profiles are worked out when needed rather than kept: a few microseconds against hundreds of bytes per device. */
export function profileOf(fleet: Fleet, device: number): DeviceProfile {
  return deviceProfile(fleet.settings.seed, device, fleet.settings.weights)
}
