import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import { limitConcurrency } from '../../base/jobs/limit-concurrency.ts'
import { type TurnsByOrganization, turnsByOrganization } from '../../base/jobs/turns-by-organization.ts'
import type { Secrets } from '../../base/secrets/secrets.ts'
import { hourMs } from '../../base/time.ts'
import { type Recorder, recordInBatches } from '../../compliance/results/record-in-batches.ts'
import { type RunTimes, rememberRunTimes } from '../../compliance/results/run-times.ts'
import { type Presence, rememberPresence } from '../../inventory/devices/presence.ts'
import { type HeldKeys, heldKeys } from '../../keys/held-keys.ts'
import { type LiveAnswerRecorder, recordLiveAnswersInBatches } from '../../live-queries/record-in-batches.ts'
import { rememberSnapshotTimes, type SnapshotTimes } from '../../reporting/snapshot-times.ts'
import { type AgentMetrics, agentMetrics } from './agent-metrics.ts'
import { batchLoads } from './batch-loads.ts'
import { type LargeBodyTurns, largeBodyTurns } from './bodies/large-body-turns.ts'
import { turnRefusal } from './bodies/turn-refusal.ts'
import { findDevicesByNodeKeys, type StoredDevice } from './device-queries.ts'
import { type DeviceRegistry, deviceRegistry } from './device-registry.ts'
import { findSecretsInForce } from './enrollment-queries.ts'
import { type FailureBudget, failureBudget } from './failure-budget.ts'
import { type Remembered, rememberFor } from './remember-for.ts'
import { rememberStatements, type Statements } from './remember-statements.ts'

type LogEntry = (fields: Record<string, unknown>, message: string) => void
export type AgentLog = { warn: LogEntry; error: LogEntry }

/** What the endpoints of agents share within one process. */
export type AgentContext = Readonly<{
  db: Db
  secrets: Secrets
  clock: Clock
  log: AgentLog
  /** In a trial the bundled agent's companion needs no file: its node key links it. */
  isTrial: boolean
  /** That the server signs challenges with, and answers to Microsoft Entra. */
  signingKeys: HeldKeys
  presence: Presence
  runTimes: RunTimes
  snapshotTimes: SnapshotTimes
  registry: DeviceRegistry
  metrics: AgentMetrics
  /** The device of a node key's look-up hash, straight from the database. */
  loadDevice: (hash: Buffer) => Promise<StoredDevice | undefined>
  /** The SQL of live queries. */
  statements: Statements
  recordLiveAnswers: LiveAnswerRecorder
  /** Results of checks. */
  recorder: Recorder
  /** Keeps connections of the pool free for everyone else while a fleet reports. */
  inRecordingTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** The same while a fleet enrolls. */
  enrolling: TurnsByOrganization
  /** Invalid node keys, by the network that sent them. */
  unknownNodeKeys: FailureBudget
  /** Enrollments without an active secret, by the network that sent them. */
  failedEnrollments: FailureBudget
  /** The organization of an active enrollment secret, by its look-up hash. */
  findSecret: (hash: Buffer) => Promise<string | undefined>
  /** Unconfirmed nodes that were asked for the file of their companion moments ago, by node key. */
  askedUnconfirmed: Remembered<true>
  /** The organizations of recently active secrets, by their look-up hashes in hex. */
  usedSecrets: Remembered<string>
  largeBodies: LargeBodyTurns
}>

const recordingsAtOnce = 4
/** Agents hang up after 16 s. */
const enrolling = { atOnce: 3, maxWaiting: 2_000, maxWaitingOfOne: 1_000, maxWaitMs: 9_000 }
/** Neither says a word on the node key: the agent keeps trying. */
const enrollingMessages = {
  busy: 'Too many machines enroll at the same time. Try again later.',
  gone: 'The agent has hung up.',
} as const
/** After a database is restored from a copy, all laptops of an office may come with a node key that it does not have. */
const unknownNodeKeys = { burst: 1_000, perSecond: 20 }
const failedEnrollments = { burst: 200, perSecond: 2 }
/** As often as an accelerated agent polls. */
const askedUnconfirmed = { lifeMs: 5_000, maxSize: 10_000 }
const usedSecrets = { lifeMs: 600_000, maxSize: 10_000 }
/** How long after its enrollment a device is asked for its first round of tables. */
const firstRoundMs = hourMs

const recently = (now: string): string => new Date(Date.parse(now) - firstRoundMs).toISOString()

export type AgentParts = {
  db: Db
  secrets: Secrets
  clock: Clock
  log: AgentLog
  isTrial: boolean
  isDatabaseUnavailable: (error: unknown) => boolean
}

export function agentContext({ isDatabaseUnavailable, ...parts }: AgentParts): AgentContext {
  const registry = deviceRegistry()
  const inRecordingTurn = limitConcurrency(recordingsAtOnce)
  const recorder = recordInBatches({ db: parts.db, inTurn: inRecordingTurn, isDatabaseUnavailable })
  const waiting = { enrollments: () => turns.waiting(), recordings: recorder.waiting }
  const metrics = agentMetrics({ devices: registry.size, waiting })
  const turns = turnsByOrganization(enrolling, (outcome) => {
    metrics.enrollments.inc({ outcome })
    return turnRefusal(outcome, enrollingMessages)
  })
  return {
    ...parts,
    signingKeys: heldKeys(parts.db, parts.secrets),
    presence: rememberPresence(),
    runTimes: rememberRunTimes(),
    snapshotTimes: rememberSnapshotTimes(),
    registry,
    metrics,
    loadDevice: batchLoads((hashes) => findDevicesByNodeKeys(parts.db, hashes, recently(parts.clock()))),
    statements: rememberStatements(parts.db),
    recordLiveAnswers: recordLiveAnswersInBatches(parts.db),
    recorder,
    unknownNodeKeys: failureBudget(unknownNodeKeys, parts.clock),
    failedEnrollments: failureBudget(failedEnrollments, parts.clock),
    findSecret: batchLoads((hashes) => findSecretsInForce(parts.db, hashes, parts.clock())),
    askedUnconfirmed: rememberFor<true>(askedUnconfirmed, parts.clock),
    usedSecrets: rememberFor<string>(usedSecrets, parts.clock),
    inRecordingTurn,
    enrolling: turns,
    largeBodies: largeBodyTurns(() => metrics.refusedBodies.inc({ status: '503' })),
  }
}
