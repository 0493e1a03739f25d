import { identityOfReceivers } from '../../server/test/support/receivers.ts'
import { openTransmitter } from './open-transmitter.ts'
import { choices, whyNotAvailable } from './plans.ts'
import { type Outcome, summarize } from './results.ts'
import { runPlan } from './run-plan.ts'
import { suiteAt } from './suite-api.ts'
import { startSuite } from './suite-processes.ts'

// npm run test:conformance             every plan; docs/conformance.md says how to build the suite
// npm run test:conformance -- poll     the plans whose title has the word
const { MUSTER_CONFORMANCE_SUITE: folder, MUSTER_CONFORMANCE_URL: url, NODE_EXTRA_CA_CERTS: authorities } = process.env
const work: (() => Promise<void>)[] = []
const hooks = { after: (undo: () => Promise<void>) => void work.unshift(undo) }
// So that an interrupted run leaves neither processes nor folders.
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    void undoAll().finally(() => process.exit(130))
  })
}
const say = (line: string): void => console.log(line)

if (folder === undefined && url === undefined) {
  console.error(
    'No conformance suite is given: set MUSTER_CONFORMANCE_SUITE to the folder of one (docs/conformance.md).',
  )
  process.exitCode = 2
} else {
  try {
    process.exitCode = (await runAll(process.argv.slice(2))) ? 0 : 1
  } catch (error) {
    if (!isInterrupted) throw error
  } finally {
    await undoAll()
  }
}

async function undoAll(): Promise<void> {
  for (const undo of work.splice(0)) await undo()
}

async function runAll(words: readonly string[]): Promise<boolean> {
  const wanted = choices.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word.toLowerCase())))
  if (url === undefined) say('Starting the suite, which takes a minute or two')
  const origin = url ?? (await startSuite(hooks, folder ?? '', identityOfReceivers))
  const suite = suiteAt(origin)
  say(`OpenID conformance suite ${await suite.version()} at ${origin}`)
  const organizations = await openTransmitter(hooks, url && authorities ? { NODE_EXTRA_CA_CERTS: authorities } : {})
  say(`Muster at ${organizations.first.transmitter.issuer}`)
  const available = await suite.plans()
  const outcomes: Outcome[] = []
  let plansNotRun = 0
  for (const choice of wanted) {
    const lack = whyNotAvailable(choice, available)
    const organization = organizations[choice.organization]
    if (lack === undefined) outcomes.push(...(await runPlan({ suite, organization, say }, choice)))
    else {
      plansNotRun++
      say(`\n${choice.title}: not run, ${lack}`)
    }
  }
  const { isGood, line } = summarize(outcomes, plansNotRun)
  say(`\n${line}`)
  return isGood
}
