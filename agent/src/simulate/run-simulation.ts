/**
 * Many devices over osquery's TLS protocol, in one process: for trying the product and for loading a server.
 *
 * Simulated: enrollment with host details, configuration, distributed reads and writes, result and status logs, at the
 * intervals the server's configuration gives; osquery's judgement of answers (the body decides, not the status), its
 * retries, the re-enrollment after `node_invalid`, `accelerate`, requests sent twice. Checks are answered by running
 * their SQL over rows that make it pass or fail, other queries by running them over a small set of plausible tables.
 *
 * Not simulated: a connection per thread of each agent. All devices share `connections` kept-alive connections, or have
 * one each, so the server sees fewer sockets and TLS handshakes than a real fleet of the size causes (up to three
 * connections per device, each renewed hourly without session resumption). Nor: carves, event tables, discovery queries, deny lists,
 * compressed logs, changes in differential results. A device that never reported sends its scheduled results at the
 * first log period, where a real agent waits one interval first.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAgentTransport } from './agent-transport.ts'
import { checkFixtures } from './check-fixtures.ts'
import type { Intervals } from './config-plan.ts'
import { hasDoneRounds } from './count-round.ts'
import { type PlatformWeights, usualWeights } from './device-profile.ts'
import { simulatedVersion } from './enroll-body.ts'
import { createFleet, type Fleet, type FleetSettings } from './fleet.ts'
import { advanceFleet, startFleet } from './fleet-loop.ts'
import { createQueryAnswers } from './query-answers.ts'
import { createCounters } from './simulation-counters.ts'
import { createReport, progressLine, type SimulationReport } from './simulation-report.ts'
import { readStateFile, writeStateFile } from './state-file.ts'

export type SimulationOptions = {
  /** Origin of the server, and a path before the five endpoints where it is not `/api/v1/osquery`. */
  server: string
  enrollSecret: string
  caFile?: string
  devices: number
  /** Share of its checks that a device fails at any time, 0..1. */
  failRate: number
  /** Mean time between two flips of one check on one device. */
  periodMs: number
  seed: number
  /** Time over which the devices start; default 2 ms per device, at most 10 minutes. */
  spreadMs?: number
  /** What is not given here follows the server's configuration. */
  intervals?: Partial<Intervals>
  /** Without it, and without rounds, the run ends with the signal. */
  durationMs?: number
  /**
   * Ends the run when every device has enrolled, fetched its configuration, and so many times had its answers to a
   * distributed read and its due log lines accepted. The first log then comes without waiting for a log period.
   */
  rounds?: number
  /** Shared connections, or one of its own for each device; default 64, at most one per device. */
  connections?: number | 'own'
  platforms?: PlatformWeights
  /** Remembers node keys, so that a later run continues as the same devices. */
  stateFile?: string
  duplicateRate?: number
  statusLineRate?: number
  log: (line: string) => void
  progressEveryMs?: number
  signal?: AbortSignal
}

const tickMs = 20
const stateEveryMs = 30_000
const lastAnswersMs = 5000

/** Runs until the rounds, the duration or the signal end it; never fails on account of the server, whose errors are counted. */
export async function runSimulation(options: SimulationOptions): Promise<SimulationReport> {
  const { stateFile, seed } = options
  const state = stateFile === undefined ? undefined : await readStateFile(stateFile, seed)
  const fleet = await openFleet(options, state?.startedAtMs ?? Date.now(), state?.nodeKeys ?? [])
  // A smaller run must not forget the keys of the devices it leaves out.
  const otherKeys = state?.nodeKeys.slice(options.devices) ?? []
  const save = async () => {
    const nodeKeys = [...fleet.nodeKeys, ...otherKeys]
    if (stateFile !== undefined) await writeStateFile(stateFile, { seed, startedAtMs: fleet.startedAtMs, nodeKeys })
  }
  // At once, so that a file that cannot be written ends the run before it begins.
  await save()
  startFleet(fleet, options.spreadMs ?? Math.min(options.devices * 2, 600_000))
  const [beganAt, processorBefore] = [performance.now(), process.cpuUsage()]
  try {
    await keepGoing(fleet, options, beganAt, save)
    await finishCalls(fleet)
  } finally {
    await fleet.transport.close()
    await save()
  }
  const processor = process.cpuUsage(processorBefore)
  return createReport(fleet, performance.now() - beganAt, processor.user + processor.system)
}

async function openFleet(options: SimulationOptions, startedAtMs: number, nodeKeys: string[]): Promise<Fleet> {
  const settings = settingsOf(options)
  const ca = options.caFile === undefined ? {} : { ca: await readFile(options.caFile, 'utf8') }
  const zero = performance.now() - (Date.now() - startedAtMs)
  const parts = {
    settings,
    transport: createAgentTransport({
      server: options.server,
      connections: options.connections === 'own' ? 'own' : settings.connections,
      userAgent: `osquery/${simulatedVersion}`,
      onUnreachable: (why) =>
        options.log(`${new URL(options.server).origin} cannot be reached: ${why}. The devices continue trying…`),
      ...ca,
    }),
    answers: createQueryAnswers(checkFixtures, Math.floor(startedAtMs / 1000)),
    counters: createCounters(),
    now: () => performance.now() - zero,
    startedAtMs,
  }
  return createFleet(parts, nodeKeys)
}

function settingsOf(options: SimulationOptions): FleetSettings {
  const path = new URL(options.server).pathname.replace(/\/+$/, '')
  return {
    seed: options.seed,
    devices: options.devices,
    weights: options.platforms ?? usualWeights,
    enrollSecret: options.enrollSecret,
    basePath: path === '' ? '/api/v1/osquery' : path,
    failures: { seed: options.seed, failRate: options.failRate, periodMs: options.periodMs },
    intervals: options.intervals ?? {},
    connections:
      options.connections === 'own'
        ? options.devices
        : Math.max(1, Math.min(options.connections ?? 64, options.devices)),
    duplicateRate: options.duplicateRate ?? 0,
    statusLineRate: options.statusLineRate ?? 0,
    ...(options.rounds !== undefined && { rounds: options.rounds }),
  }
}

async function keepGoing(fleet: Fleet, options: SimulationOptions, beganAt: number, save: () => Promise<void>) {
  const { signal, log, durationMs = Number.POSITIVE_INFINITY, progressEveryMs = 5000 } = options
  let progressDueAt = beganAt + progressEveryMs
  let saveDueAt = beganAt + stateEveryMs
  while (!signal?.aborted && !hasDoneRounds(fleet) && performance.now() - beganAt < durationMs) {
    advanceFleet(fleet)
    const now = performance.now()
    if (now >= progressDueAt) {
      log(progressLine(fleet, now - beganAt))
      fleet.counters.recent.reset()
      progressDueAt += progressEveryMs
    }
    if (now >= saveDueAt) {
      saveDueAt += stateEveryMs
      await save()
    }
    await sleep(tickMs)
  }
}

/** Calls under way may still be answered; nothing new starts. */
async function finishCalls(fleet: Fleet) {
  fleet.isStopping = true
  const giveUpAt = performance.now() + lastAnswersMs
  while (fleet.inFlight > 0 && performance.now() < giveUpAt) await sleep(tickMs)
}
