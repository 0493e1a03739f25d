import { readFile } from 'node:fs/promises'
import type { SimulationReport } from '@muster/agent/simulate/simulation-report.ts'
import { Agent, request } from 'undici'
import { systemClock } from '../../src/base/clock.ts'
import { openLanCertificate } from '../../src/cli/lan/lan-certificate.ts'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { openTrial } from '../trial/open-trial.ts'
import { runSimulator } from '../trial/run-simulator.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

/** Agents hang up after 16 s: who waits for longer than ten may not be there to take the key. */
const targets = { waitMs: 10_000, delivered: 0.98, residentMegabytes: 1_024 }
const seed = 11

export const storm: Figure = { number: '15', title: 'A fleet that enrolls at once', run }

/** Each machine has a TLS connection of its own, and continues as a machine does once it has enrolled. */
async function run({ engine, scale, say }: Bench): Promise<Finding[]> {
  const { devices, spreadMs, limitMs } = scale.storm
  const trial = await openTrial(engine, 'storm')
  try {
    await trial.ready()
    const names = { hosts: ['localhost'], addresses: ['127.0.0.1'] }
    const { certFile, keyFile, caFile } = await openLanCertificate(trial.folder, names, systemClock())
    const tls = { MUSTER_TLS_CERT_FILE: certFile, MUSTER_TLS_KEY_FILE: keyFile }
    const ours = await startProcess(new URL('../serve.ts', import.meta.url), { ...trial.env, ...tls })
    try {
      say(`${count(devices)} machines start within ${spreadMs / 1_000} s`)
      const options = { server: ours.origin, enrollSecret: trial.enrollSecret, caFile, devices, seed, spreadMs }
      const pace = { failRate: 0.05, periodMs: 3_600_000, connections: 'own' as const }
      const report = await runSimulator({ ...options, ...pace, durationMs: limitMs, progressEveryMs: 15_000 }, say)
      return findingsOf(report, await enrollmentsOf(ours, caFile), limitMs, (await ours.usage()).residentMegabytes)
    } finally {
      await ours.stop()
    }
  } finally {
    await trial.remove()
  }
}

/** How many enrollments the server has done, by its own count. */
async function enrollmentsOf(ours: Subject, caFile: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca: await readFile(caFile, 'utf8') } })
  const { body } = await request(`${ours.origin}/metrics`, { dispatcher })
  const text = await body.text()
  await dispatcher.close()
  const lines = text.matchAll(/^muster_agent_enrollments_total\{outcome="(?:new|again)"\} (\d+)$/gm)
  return Array.from(lines, ([, times]) => Number(times)).reduce((sum, times) => sum + times, 0)
}

function findingsOf(report: SimulationReport, done: number, limitMs: number, residentMegabytes: number): Finding[] {
  const { devices, devicesEnrolled, lastEnrolledMs, latencies, statuses, errors } = report
  const common = { figure: '15', limit: '', ratio: '' }
  const delivered = (report.enrolled + report.reEnrolled) / done
  const { p50Ms, p99Ms, maxMs } = latencies.enroll
  return [
    {
      ...common,
      what: `of ${count(devices)} machines, enrolled after ${limitMs / 1_000} s`,
      ours: count(devicesEnrolled),
      target: 'all',
      isMet: devicesEnrolled === devices,
      notes: [
        `the last one after ${(lastEnrolledMs / 1_000).toFixed(0)} s; ${count(report.connectionsOpened)} connections`,
        `answers other than 200: ${inWords(statuses)}; errors: ${inWords(errors)}`,
        `${report.processorShare.toFixed(2)} cores of the machines, which began calls late by p99 ${ms(report.lag.p99Ms)}`,
      ],
    },
    {
      ...common,
      what: 'keys that machines received by enrollments done',
      ours: ratioText(delivered),
      target: `≥ ${ratioText(targets.delivered)}`,
      isMet: delivered >= targets.delivered,
      notes: [`${count(report.enrolled + report.reEnrolled)} received, ${count(done)} done`],
    },
    {
      ...common,
      what: 'wait for the answer to an enrollment',
      ours: `${ms(p99Ms)} p99`,
      target: `≤ ${ms(targets.waitMs)}`,
      isMet: p99Ms <= targets.waitMs,
      notes: [`p50 ${ms(p50Ms)}, max ${ms(maxMs)}`],
    },
    {
      ...common,
      what: 'memory of the server process with all of them',
      ours: `${count(residentMegabytes)} MB`,
      target: `≤ ${count(targets.residentMegabytes)} MB`,
      isMet: residentMegabytes <= targets.residentMegabytes,
    },
  ]
}

const inWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, times]) => `${count(times)} × ${name}`)
    .join(', ') || 'none'
