import type { Fleet } from './fleet.ts'
import type { LatencySummary } from './latencies.ts'
import { type CallKind, callKinds } from './simulation-counters.ts'

export type SimulationReport = {
  seed: number
  devices: number
  devicesEnrolled: number
  elapsedMs: number
  requests: number
  requestsPerSecond: number
  enrolled: number
  /** Since the devices were started. */
  lastEnrolledMs: number
  /** How many rounds were wanted, and how many devices have done them. */
  rounds?: { wanted: number; devicesDone: number }
  reEnrolled: number
  configs: number
  reads: number
  idleReads: number
  writes: number
  queriesAnswered: number
  checksAnswered: number
  logs: number
  logLines: number
  duplicates: number
  resent: number
  flips: number
  /** Share of the checks known by the devices' latest answers that fail, 0..1. */
  failingShare: number
  /** By `<call>: <fault>`. */
  errors: Record<string, number>
  /** Answers by status other than 200. */
  statuses: Record<string, number>
  latencies: Record<CallKind, LatencySummary>
  lag: LatencySummary
  connectionsOpened: number
  /** Processor time of this process per second of the run, in cores. */
  processorShare: number
  residentMegabytes: number
}

export function createReport(fleet: Fleet, elapsedMs: number, processorMicroseconds: number): SimulationReport {
  const { counters, transport } = fleet
  const latencies = {
    enroll: counters.latencies.enroll.summary(),
    config: counters.latencies.config.summary(),
    read: counters.latencies.read.summary(),
    write: counters.latencies.write.summary(),
    log: counters.latencies.log.summary(),
  }
  const requests = callKinds.reduce((sum, kind) => sum + latencies[kind].count, 0)
  const { enrolled, lastEnrolledMs, reEnrolled, configs, reads, idleReads, writes, queriesAnswered } = counters
  const { checksAnswered, logs, logLines, duplicates, flips } = counters
  return {
    seed: fleet.settings.seed,
    devices: fleet.settings.devices,
    devicesEnrolled: fleet.devicesWithKey,
    elapsedMs,
    ...(fleet.rounds && { rounds: { wanted: fleet.rounds.wanted, devicesDone: fleet.rounds.devicesDone } }),
    requests,
    requestsPerSecond: elapsedMs === 0 ? 0 : (requests / elapsedMs) * 1000,
    ...{ enrolled, lastEnrolledMs, reEnrolled, configs, reads, idleReads, writes, queriesAnswered, checksAnswered },
    ...{ logs, logLines, duplicates, resent: transport.resent(), flips },
    failingShare: counters.checksKnown === 0 ? 0 : counters.checksFailing / counters.checksKnown,
    errors: Object.fromEntries(counters.errors),
    statuses: Object.fromEntries(counters.statuses),
    latencies,
    lag: counters.lag.summary(),
    connectionsOpened: transport.connectionsOpened(),
    processorShare: elapsedMs === 0 ? 0 : processorMicroseconds / 1000 / elapsedMs,
    residentMegabytes: process.memoryUsage.rss() / 2 ** 20,
  }
}

const thousands = new Intl.NumberFormat('en-US')
const whole = (value: number) => thousands.format(Math.round(value))
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : whole(value))

/** `mm:ss`, from the first hour on `h:mm:ss`. */
export function formatElapsed(elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** One line on the run so far; p99 covers the calls since the last such line. */
export function progressLine(fleet: Fleet, elapsedMs: number): string {
  const { counters, settings } = fleet
  const failing = counters.checksKnown === 0 ? 0 : counters.checksFailing / counters.checksKnown
  const p99Ms = counters.recent.summary().p99Ms
  return (
    `${formatElapsed(elapsedMs)}  ` +
    [
      `devices ${whole(fleet.devicesWithKey)}/${whole(settings.devices)} enrolled`,
      `reads ${whole(counters.reads)} (${whole(counters.idleReads)} idle)`,
      `writes ${whole(counters.writes)}`,
      `results ${whole(counters.queriesAnswered)}`,
      `failing ${percent(failing)}`,
      `errors ${whole(counters.errorCount)}`,
      `p99 ${milliseconds(p99Ms)} ms`,
    ].join(' · ')
  )
}

/** The report as lines for a terminal. */
export function formatReport(report: SimulationReport): string {
  const lines = [
    `Simulated ${whole(report.devices)} devices (seed ${report.seed}) for ${formatElapsed(report.elapsedMs)}`,
    `  enrolled       ${whole(report.devicesEnrolled)} now; ${whole(report.enrolled)} new, ${whole(report.reEnrolled)} again; the last new one after ${formatElapsed(report.lastEnrolledMs)}`,
    ...roundsLine(report),
    `  requests       ${whole(report.requests)} answered, ${whole(report.requestsPerSecond)} per second`,
    `  configurations ${whole(report.configs)}`,
    `  reads          ${whole(report.reads)}, of which idle ${whole(report.idleReads)}`,
    `  writes         ${whole(report.writes)} with ${whole(report.queriesAnswered)} results (${whole(report.checksAnswered)} of checks)`,
    `  logs           ${whole(report.logs)} with ${whole(report.logLines)} lines`,
    `  checks         ${percent(report.failingShare)} failing, ${whole(report.flips)} flips seen`,
    `  sent twice     ${whole(report.duplicates)} on purpose, ${whole(report.resent)} after a broken connection`,
    `  connections    ${whole(report.connectionsOpened)} opened`,
    `  this process   ${report.processorShare.toFixed(2)} cores, ${whole(report.residentMegabytes)} MB resident`,
    '',
    '  ms            count      p50      p95      p99      max',
    ...callKinds.map((kind) => latencyLine(kind, report.latencies[kind])),
    latencyLine('started late', report.lag),
    '',
    ...countLines('errors', report.errors),
    ...countLines('statuses other than 200', report.statuses),
  ]
  return lines.join('\n')
}

const roundsLine = ({ rounds, devices }: SimulationReport): string[] =>
  rounds
    ? [`  rounds         ${whole(rounds.wanted)} done by ${whole(rounds.devicesDone)} of ${whole(devices)} devices`]
    : []

function latencyLine(name: string, { count, p50Ms, p95Ms, p99Ms, maxMs }: LatencySummary): string {
  const numbers = [p50Ms, p95Ms, p99Ms, maxMs].map((value) => milliseconds(value).padStart(9)).join('')
  return `  ${name.padEnd(12)}${whole(count).padStart(7)}${numbers}`
}

function countLines(title: string, counts: Record<string, number>): string[] {
  const entries = Object.entries(counts)
  if (entries.length === 0) return [`  ${title}: none`]
  return [`  ${title}:`, ...entries.map(([name, count]) => `    ${name.padEnd(24)} ${whole(count)}`)]
}
