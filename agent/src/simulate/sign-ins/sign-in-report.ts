import type { LatencySummary } from '../latencies.ts'
import { type Outcome, outcomes } from './sign-in.ts'

export type SignInReport = {
  signIns: number
  elapsedMs: number
  outcomes: Partial<Record<Outcome, number>>
  /** By reason. */
  failures: Record<string, number>
  /** From the application's request until it has verified the ID token, or until the person has given up. */
  whole: LatencySummary
  /** By name, in the order of a sign-in. */
  steps: Record<string, LatencySummary>
}

/** The report as lines for a terminal. */
export function formatSignInReport(report: SignInReport): string {
  const seconds = report.elapsedMs / 1_000
  const known = Object.keys(outcomes) as Outcome[]
  const reached = known.filter((outcome) => report.outcomes[outcome] !== undefined)
  const failures = Object.entries(report.failures)
  return [
    `Simulated ${whole(report.signIns)} sign-ins in ${seconds.toFixed(1)} s, ${(report.signIns / seconds).toFixed(1)} a second`,
    ...reached.map((outcome) => countLine(outcomes[outcome], report.outcomes[outcome] ?? 0)),
    '',
    '  ms             count      p50      p95      p99      max',
    latencyLine('sign-in', report.whole),
    ...Object.entries(report.steps).map(([name, latencies]) => latencyLine(name, latencies)),
    '',
    ...(failures.length === 0 ? ['  failures: none'] : ['  failures:']),
    ...failures.map(([reason, times]) => `  ${countLine(reason, times)}`),
  ].join('\n')
}

const whole = (value: number): string => new Intl.NumberFormat('en-US').format(Math.round(value))
const milliseconds = (value: number): string => (value < 10 ? value.toFixed(1) : whole(value))
const countLine = (name: string, times: number): string => `  ${whole(times).padStart(7)}  ${name}`

function latencyLine(name: string, { count, p50Ms, p95Ms, p99Ms, maxMs }: LatencySummary): string {
  const numbers = [p50Ms, p95Ms, p99Ms, maxMs].map((value) => milliseconds(value).padStart(9)).join('')
  return `  ${name.padEnd(13)}${whole(count).padStart(7)}${numbers}`
}
