import { type Bench, count, type Figure, type Finding, ms } from '../figure.ts'
import { askWhoami } from '../load/ask-whoami.ts'
import { type ProcessorRate, using } from '../load/processor-rate.ts'
import { watchDatabase } from '../trial/database-processor.ts'
import { openSignInTrial, type SignInTrial } from '../trial/open-sign-ins.ts'

const people = 120
/** Nobody may come to one application again and again. */
const perConnection = 3
/** What is held after a quarter of them, and a little more. */
const target = 1.2
const targetMs = 15
const whoami = { total: 1_000, connections: 4 }

export const signInMemory: Figure = { number: '21', title: 'Many sign-ins, one after the other', run }

async function run(bench: Bench): Promise<Finding[]> {
  const total = bench.scale.signIns
  // One laptop in five is blocked, and nobody signs in with it.
  const connections = Math.ceil(total / (0.75 * people * perConnection)) + 1
  const place = await openSignInTrial(bench, { name: 'memory', people, connections })
  try {
    const databaseMs = await watchDatabase(place.trial.databaseUrl)
    await askWhoami(place, whoami)
    const megabytes: number[] = []
    const rate = await using(place.ours, databaseMs, () => signInAgain(place, bench, megabytes))
    const asked = await using(place.ours, databaseMs, () => askWhoami(place, whoami))
    return findingsOf(total, { rate, asked, megabytes })
  } finally {
    await place.close()
  }
}

/** Tells the memory of the server from time to time. */
async function signInAgain({ signInAll, members, ours }: SignInTrial, { scale, say }: Bench, megabytes: number[]) {
  const perTurn = perConnection * members.length
  let done = 0
  while (done < scale.signIns) {
    await signInAll(Math.min(perTurn, scale.signIns - done))
    done += Math.min(perTurn, scale.signIns - done)
    const { residentMegabytes } = await ours.usage()
    megabytes.push(residentMegabytes)
    say(`${count(done)} sign-ins, ${count(residentMegabytes)} MB`)
  }
  return done
}

type Measured = { rate: ProcessorRate; asked: ProcessorRate; megabytes: readonly number[] }

const costMs = ({ processorMs, databaseMs }: ProcessorRate): number => processorMs + databaseMs

function findingsOf(total: number, { rate, asked, megabytes }: Measured): Finding[] {
  const at = (share: number) => megabytes[Math.ceil(share * megabytes.length) - 1] ?? 0
  const shares = [0.25, 0.5, 0.75, 1]
  const common = { figure: '21', ratio: '' }
  return [
    {
      ...common,
      what: `memory of the server after ${count(total)} sign-ins`,
      ours: `${count(at(1))} MB`,
      limit: `${count(at(0.25))} MB after a quarter of them`,
      target: `≤ ${target.toFixed(1)} times that`,
      isMet: at(1) <= target * at(0.25),
      notes: [`by quarters: ${shares.map((share) => `${count(at(share))} MB`).join(', ')}`],
    },
    {
      ...common,
      what: `mean processor time of a sign-in over ${count(total)}, the database included`,
      ours: ms(costMs(rate)),
      limit: `${ms(costMs(asked))}, one GET /whoami`,
      target: `≤ ${targetMs} ms`,
      isMet: costMs(rate) <= targetMs,
      notes: [
        `the server and the database: ${ms(rate.processorMs)} and ${ms(rate.databaseMs)}`,
        `by the clock ${count(rate.perSecond)}/s, both cores shared with the browsers and the database`,
      ],
    },
  ]
}
