import type { Laptop } from '@muster/agent/simulate/sign-ins/laptop.ts'
import { relyingParty } from '@muster/agent/simulate/sign-ins/relying-party.ts'
import { signInSteps } from '@muster/agent/simulate/sign-ins/sign-in-steps.ts'
import { webBrowser } from '@muster/agent/simulate/sign-ins/web-browser.ts'
import { Agent } from 'undici'
import { type Bench, count, type Figure, type Finding, ms, ratioText } from '../figure.ts'
import { askWhoami } from '../load/ask-whoami.ts'
import { medianOf } from '../load/percentiles.ts'
import { type ProcessorRate, using } from '../load/processor-rate.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openSignInTrial, type SignInTrial } from '../trial/open-sign-ins.ts'

const targetMs = 4
const total = 1_000
/** Pages that are open at the same time, each of a person of its own. */
const pages = 4
const asked = { total, connections: pages }

export const proofs: Figure = { number: '20', title: 'A challenge and its proof', run }

type Page = { path: string; laptop: Laptop; post: (what: string, body?: object) => Promise<string> }
type Round = { ours: ProcessorRate; whoami: ProcessorRate }

async function run(bench: Bench): Promise<Finding[]> {
  const place = await openSignInTrial(bench, { name: 'proofs', people: 2 * pages, connections: 2 })
  const dispatcher = new Agent({ connections: pages })
  try {
    const open = await openPages(place, dispatcher)
    const databaseMs = await watchDatabase(place.trial.databaseUrl)
    await proveAll(open)
    await askWhoami(place, asked)
    const rounds: Round[] = []
    for (let round = 1; round <= bench.scale.rounds; round += 1) {
      bench.say(`round ${round} of ${bench.scale.rounds}`)
      const ours = await using(place.ours, databaseMs, () => proveAll(open))
      rounds.push({ ours, whoami: await using(place.ours, databaseMs, () => askWhoami(place, asked)) })
    }
    return [findingOf(rounds)]
  } finally {
    await dispatcher.destroy()
    await place.close()
  }
}

async function openPages({ setups: [setup], members }: SignInTrial, dispatcher: Agent): Promise<Page[]> {
  if (!setup) throw new Error('There is no connection')
  const steps = signInSteps()
  const party = await relyingParty(setup, { dispatcher, steps })
  const { origin } = new URL(setup.issuer)
  const open = members.slice(0, pages).map(async ({ email, laptop }, index) => {
    const browser = webBrowser({ dispatcher, origin, userAgent: 'bench', steps, from: `10.200.0.${index + 1}` })
    const arrived = await browser.follow((await party.begin(email)).path)
    if ('away' in arrived) throw new Error('A page was refused')
    const { path } = arrived
    const post = async (what: string, body?: object) => {
      const { status, text } = await browser.post(`${path}/${what}`, body)
      if (status !== 200) throw new Error(`${what} was answered with ${status}: ${text}`)
      return text
    }
    return { path, laptop, post }
  })
  return Promise.all(open)
}

async function proveAll(open: readonly Page[]): Promise<number> {
  const each = Math.ceil(total / open.length)
  await Promise.all(
    open.map(async ({ laptop, post }) => {
      for (let turn = 0; turn < each; turn += 1) {
        const { challenge } = JSON.parse(await post('challenge')) as { challenge: string }
        await post('proof', { proof: await laptop.prove(challenge) })
      }
    }),
  )
  return each * open.length
}

const costMs = ({ processorMs, databaseMs }: ProcessorRate): number => processorMs + databaseMs

function findingOf(rounds: readonly Round[]): Finding {
  const median = (pick: (round: Round) => number) => medianOf(rounds.map(pick))
  const inTwo = (side: keyof Round) =>
    `${ms(median((round) => round[side].processorMs))} and ${ms(median((round) => round[side].databaseMs))}`
  const ours = median((round) => costMs(round.ours))
  return {
    figure: '20',
    what: `processor time of a challenge and its proof over ${count(total)}, the database included`,
    ours: ms(ours),
    limit: `${ms(median((round) => costMs(round.whoami)))}, one GET /whoami`,
    ratio: ratioText(median((round) => costMs(round.whoami) / costMs(round.ours))),
    target: `≤ ${targetMs} ms`,
    isMet: ours <= targetMs,
    notes: [`the server and the database: ours ${inTwo('ours')}, GET /whoami ${inTwo('whoami')}`],
  }
}
