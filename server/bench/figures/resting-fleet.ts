import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Bench, count, type Figure, type Finding } from '../figure.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openTrial } from '../trial/open-trial.ts'
import { processorSecondsOf, residentMegabytes } from '../trial/process-usage.ts'
import { runSimulator } from '../trial/run-simulator.ts'

// Fleet takes 19.0 s of processor time a minute for the same hosts and checks, its database included.
const targets = { residentMegabytes: 200, processorSeconds: 6.3 }
const devices = 1_000
const spreadMs = 60_000
const settleMs = 90_000
const measuredMs = 60_000
const program = fileURLToPath(new URL('../../bin/muster.js', import.meta.url))

export const restingFleet: Figure = { number: '16', title: 'A thousand machines from day to day', run }

/** `muster serve` as it is installed, not the bench's own server. */
async function run({ engine, say }: Bench): Promise<Finding[]> {
  const trial = await openTrial(engine, 'resting', 'all')
  await trial.ready()
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env['PATH'], ...trial.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    const server = await originOf(child)
    say(`${count(devices)} machines start within ${spreadMs / 1_000} s`)
    const pace = { failRate: 0.05, periodMs: 3_600_000, connections: 'own' as const, seed: 5, spreadMs }
    const durationMs = spreadMs + settleMs + measuredMs
    const machines = runSimulator(
      { server, enrollSecret: trial.enrollSecret, devices, ...pace, durationMs, progressEveryMs: 30_000 },
      say,
    )
    await pause(spreadMs + settleMs)
    const usage = await usageOf(child.pid ?? 0, trial.databaseUrl)
    const { devicesEnrolled } = await machines
    return findingsOf(usage, devicesEnrolled)
  } finally {
    child.kill('SIGTERM')
    await exited
    await trial.remove()
  }
}

/** The address in the log's first line that has one. */
async function originOf({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('The server has no output')
  for await (const line of createInterface({ input: stdout })) {
    const [origin] = /http:\/\/[\d.]+:\d+/.exec(line) ?? []
    if (origin === undefined) continue
    stdout.resume()
    return origin
  }
  throw new Error('The server ended before it listened')
}

type Usage = { serverSeconds: number; databaseSeconds: number; megabytes: number }

async function usageOf(pid: number, databaseUrl: string | undefined): Promise<Usage> {
  const databaseMs = await watchDatabase(databaseUrl)
  const read = async () => [processorSecondsOf(pid), ((await databaseMs?.()) ?? 0) / 1_000] as const
  const [serverBefore, databaseBefore] = await read()
  await pause(measuredMs)
  const [server, database] = await read()
  return {
    serverSeconds: server - serverBefore,
    databaseSeconds: database - databaseBefore,
    megabytes: residentMegabytes(pid),
  }
}

function findingsOf({ serverSeconds, databaseSeconds, megabytes }: Usage, enrolled: number): Finding[] {
  const common = { figure: '16', limit: '', ratio: '' }
  const seconds = serverSeconds + databaseSeconds
  return [
    {
      ...common,
      what: `memory of the server with ${count(enrolled)} machines`,
      ours: `${megabytes.toFixed(0)} MB`,
      target: `≤ ${targets.residentMegabytes} MB`,
      isMet: megabytes <= targets.residentMegabytes,
    },
    {
      ...common,
      what: 'processor time a minute, the database included',
      ours: `${seconds.toFixed(2)} s`,
      target: `≤ ${targets.processorSeconds} s`,
      isMet: seconds <= targets.processorSeconds,
      notes: [`server ${serverSeconds.toFixed(2)} s, database ${databaseSeconds.toFixed(2)} s`],
    },
  ]
}
