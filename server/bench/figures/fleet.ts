import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { SimulationReport } from '@muster/agent/simulate/simulation-report.ts'
import { type Bench, count, type Figure, type Finding, ms } from '../figure.ts'
import { loadFleet } from '../trial/load-fleet.ts'
import { openTrial, type Trial } from '../trial/open-trial.ts'
import { runSimulator } from '../trial/run-simulator.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const targets = { p99Ms: 250, residentMegabytes: 1024 }
const seed = 7
const sampleEveryMs = 2_000

export const fleet: Figure = { number: '5', title: 'A fleet that polls and reports', run }

async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'fleet', 'all')
  try {
    const { devices, spreadMs, holdMs } = scale.fleet
    say(`loading ${count(devices)} enrolled devices with a result of each check`)
    const stateFile = await prepare(trial, devices)
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), trial.env)
    const memory = watchMemory(ours)
    try {
      say(`starting them over ${spreadMs / 60_000} minutes, then ${holdMs / 60_000} minutes`)
      const before = await ours.usage()
      const options = { server: ours.origin, enrollSecret: trial.enrollSecret, devices, seed, stateFile }
      const pace = { failRate: 0.05, periodMs: 3_600_000, statusLineRate: 0.01, connections: 128 }
      const report = await runSimulator(
        { ...options, ...pace, spreadMs, durationMs: spreadMs + holdMs, progressEveryMs: 30_000 },
        say,
      )
      const after = await ours.usage()
      const cores = (after.processorMs - before.processorMs) / report.elapsedMs
      return findingsOf(report, await memory.end(), cores)
    } finally {
      await ours.stop()
    }
  } finally {
    await trial.remove()
  }
}

/** Returns the simulator's state file, with which it continues as the loaded devices. */
async function prepare(trial: Trial, devices: number): Promise<string> {
  const agents = await loadFleet(trial, devices, seed)
  await trial.ready()
  const stateFile = path.join(trial.folder, 'fleet.json')
  const nodeKeys = agents.map(({ nodeKey }) => nodeKey)
  await writeFile(stateFile, JSON.stringify({ seed, started_at_ms: Date.now(), node_keys: nodeKeys }))
  return stateFile
}

function watchMemory(subject: Subject) {
  let most = 0
  let asking: Promise<void> = Promise.resolve()
  const ask = async () => {
    most = Math.max(most, (await subject.usage()).residentMegabytes)
  }
  const timer = setInterval(() => {
    asking = asking.then(ask)
  }, sampleEveryMs)
  return {
    async end(): Promise<number> {
      clearInterval(timer)
      await asking
      return most
    },
  }
}

function findingsOf(report: SimulationReport, residentMegabytes: number, cores: number): Finding[] {
  const { latencies, errors, statuses } = report
  const faults = [...Object.entries(errors), ...Object.entries(statuses)]
  const faultCount = faults.reduce((sum, [, times]) => sum + times, 0)
  const calls = Object.entries(latencies).filter(([, summary]) => summary.count > 0)
  const common = { figure: '5', limit: '', ratio: '' }
  return [
    {
      ...common,
      what: `${count(report.devices)} devices: errors`,
      ours: `${faultCount} of ${count(report.requests)} calls`,
      target: 'none',
      isMet: faultCount === 0,
      notes: [
        `${count(report.requestsPerSecond)} calls/s, ${count(report.checksAnswered)} results of checks, ${count(report.flips)} flips`,
        ...faults.map(([name, times]) => `${name}: ${count(times)}`),
      ],
    },
    ...calls.map(([kind, one]) => ({
      ...common,
      what: `agent calls: ${kind} (${count(one.count)})`,
      ours: `${ms(one.p99Ms)} p99`,
      target: `≤ ${targets.p99Ms} ms`,
      isMet: one.p99Ms <= targets.p99Ms,
      notes: [`p50 ${ms(one.p50Ms)}, p95 ${ms(one.p95Ms)}, max ${ms(one.maxMs)}`],
    })),
    {
      ...common,
      what: 'memory of the server process',
      ours: `${count(residentMegabytes)} MB`,
      target: `≤ ${targets.residentMegabytes} MB`,
      isMet: residentMegabytes <= targets.residentMegabytes,
      notes: [
        `${cores.toFixed(2)} cores of the server, ${report.processorShare.toFixed(2)} of the simulator`,
        `calls began late by p99 ${ms(report.lag.p99Ms)}: what the simulator and its connections could not keep up with`,
      ],
    },
  ]
}
