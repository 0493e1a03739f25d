import { createLatencies, type Latencies } from './latencies.ts'

export const callKinds = ['enroll', 'config', 'read', 'write', 'log'] as const
export type CallKind = (typeof callKinds)[number]

/** Everything a run counts; the report is made from it. */
export type SimulationCounters = {
  enrolled: number
  /** When a device enrolled for the first time, last of all; since the devices were started. */
  lastEnrolledMs: number
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
  flips: number
  /** Checks known to fail, and checks known, by each device's latest answer. */
  checksFailing: number
  checksKnown: number
  /** By `<call>: <fault>`. */
  errors: Map<string, number>
  errorCount: number
  /** Answers with a status other than 200, which osquery itself does not look at. */
  statuses: Map<number, number>
  latencies: Record<CallKind, Latencies>
  /** All calls since the last progress line. */
  recent: Latencies
  /** How late calls started after they were due: what the simulator or its connections could not keep up with. */
  lag: Latencies
}

export function createCounters(): SimulationCounters {
  return {
    enrolled: 0,
    lastEnrolledMs: 0,
    reEnrolled: 0,
    configs: 0,
    reads: 0,
    idleReads: 0,
    writes: 0,
    queriesAnswered: 0,
    checksAnswered: 0,
    logs: 0,
    logLines: 0,
    duplicates: 0,
    flips: 0,
    checksFailing: 0,
    checksKnown: 0,
    errors: new Map(),
    errorCount: 0,
    statuses: new Map(),
    latencies: {
      enroll: createLatencies(),
      config: createLatencies(),
      read: createLatencies(),
      write: createLatencies(),
      log: createLatencies(),
    },
    recent: createLatencies(),
    lag: createLatencies(),
  }
}

export function countError(counters: SimulationCounters, call: CallKind, fault: string): void {
  const name = `${call}: ${fault}`
  counters.errors.set(name, (counters.errors.get(name) ?? 0) + 1)
  counters.errorCount += 1
}
