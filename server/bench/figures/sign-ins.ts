import { setTimeout as pause } from 'node:timers/promises'
import type { SignInReport } from '@muster/agent/simulate/sign-ins/sign-in-report.ts'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { askWhoami } from '../load/ask-whoami.ts'
import { requestBytes } from '../load/http-request.ts'
import { medianOf } from '../load/percentiles.ts'
import { type ProcessorRate, using } from '../load/processor-rate.ts'
import { runLoad } from '../load/run-load.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openSignInTrial, type SignInTrial } from '../trial/open-sign-ins.ts'
import { type Subject, startProcess } from '../trial/start-process.ts'

const targetMs = 15
const cores = 2
const targetPerSecond = 100
const people = 60
const perRound = 2 * people
const connections = 4
const whoami = { total: 1_000, connections }
/** Rounds until the compiler has seen enough. */
const warmUps = 2
const restMs = 5_000
const bareTable =
  'create table bench_exchanges (id bigint generated always as identity primary key, at timestamptz, content jsonb)'

export const signIns: Figure = { number: '17', title: 'Sign-ins', run }

async function run(bench: Bench): Promise<Finding[]> {
  const { rounds } = bench.scale
  const place = await openSignInTrial(bench, {
    name: 'signins',
    people,
    connections: rounds + warmUps + 1,
    sql: bareTable,
  })
  const bare = await startProcess(new URL('../bare/serve-exchanges.ts', import.meta.url), place.twin)
  try {
    const { measured, rest } = await measure(place, bare, bench)
    return findingsOf(measured, rest)
  } finally {
    await bare.stop()
    await place.close()
  }
}

type Round = { ours: ProcessorRate; bare: ProcessorRate; whoami: ProcessorRate; report: SignInReport }

async function measure(place: SignInTrial, bare: Subject, { scale, say }: Bench) {
  const { trial, ours, signInAll } = place
  const databaseMs = await watchDatabase(trial.databaseUrl)
  for (let round = 1; round <= warmUps; round += 1) await signInAll(perRound)
  await askWhoami(place, whoami)
  say('at rest')
  const rest = await using(ours, databaseMs, () => pause(restMs, restMs / 1_000))
  const measured: Round[] = []
  for (let round = 1; round <= scale.rounds; round += 1) {
    say(`round ${round} of ${scale.rounds}`)
    const reports: SignInReport[] = []
    const rate = await using(ours, databaseMs, async () => {
      reports.push(await signInAll(perRound))
      return perRound
    })
    for (const report of reports) {
      const limit = await using(bare, databaseMs, () => exchange(bare, requestsOf(report)))
      const asked = await using(ours, databaseMs, () => askWhoami(place, whoami))
      measured.push({ ours: rate, bare: limit, whoami: asked, report })
    }
  }
  return { measured, rest }
}

/** What one sign-in asks of the server. */
const requestsOf = ({ steps, signIns: total }: SignInReport): number =>
  Math.round(Object.values(steps).reduce((sum, step) => sum + step.count, 0) / total)

async function exchange(bare: Subject, requests: number): Promise<number> {
  const step = requestBytes({ method: 'GET', path: '/step' })
  const post = requestBytes({ method: 'POST', path: '/step', body: '{"proof":"x"}' })
  const token = requestBytes({ method: 'POST', path: '/token', body: '{"code":"x"}' })
  // Challenge and proof are posted, the rest but the token is asked for.
  const one = [...Array.from({ length: requests - 3 }, () => step), post, post, token]
  const turns = Array.from({ length: perRound }, () => one)
    .flat()
    .values()
  const result = await runLoad({ origin: bare.origin, connections, next: () => turns.next().value })
  if (result.failures > 0) throw new Error(`${result.failures} exchanges failed`)
  return perRound
}

const costMs = ({ processorMs, databaseMs }: ProcessorRate): number => processorMs + databaseMs

function findingsOf(rounds: readonly Round[], rest: ProcessorRate): Finding[] {
  const median = (pick: (round: Round) => number) => medianOf(rounds.map(pick))
  const inTwo = (side: 'ours' | 'bare' | 'whoami') =>
    `${ms(median((round) => round[side].processorMs))} and ${ms(median((round) => round[side].databaseMs))}`
  const ours = median((round) => costMs(round.ours))
  const asked = median((round) => costMs(round.whoami))
  const perSecond = (cores * 1_000) / ours
  const [last] = rounds.slice(-1)
  const steps = Object.entries(last?.report.steps ?? {}).map(([name, { p50Ms }]) => `${name} ${ms(p50Ms)}`)
  return [
    {
      figure: '17',
      what: 'processor time of a sign-in, the database included',
      ours: ms(ours),
      limit: `${ms(median((round) => costMs(round.bare)))}, as many requests to bare Fastify, one signature and one insert`,
      ratio: ratioText(median((round) => costMs(round.bare) / costMs(round.ours))),
      target: `≤ ${targetMs} ms`,
      isMet: ours <= targetMs,
      notes: [
        `the server and the database: ours ${inTwo('ours')}, bare ${inTwo('bare')}`,
        `${last ? requestsOf(last.report) : 0} requests a sign-in; by the clock ${count(median((round) => round.ours.perSecond))}/s, both cores shared with the browsers and the database`,
        `at rest the server and the database use ${ms(costMs(rest))} a second, which is in it`,
        `one GET /whoami ${ms(asked)}, so that a sign-in is as much as ${count(ours / asked)} of them: ${inTwo('whoami')}`,
        `p50 of the steps: ${steps.join(', ')}`,
      ],
    },
    {
      figure: '17',
      what: `sign-ins a second that the processor time of ${cores} cores is enough for, the database included`,
      ours: `${count(perSecond)}/s`,
      limit: `${count((cores * 1_000) / asked)}/s of GET /whoami`,
      ratio: '',
      target: `≥ ${targetPerSecond}/s`,
      isMet: perSecond >= targetPerSecond,
    },
  ]
}
