import { openChromium } from '../../server/test/strangers/chromium.ts'
import { identityOfReceivers } from '../../server/test/support/receivers.ts'
import { browserOfModule } from './browse-pages.ts'
import { openProvider } from './open-provider.ts'
import { type Organization, openTransmitter } from './open-transmitter.ts'
import { choices, configurationFor, type Plan, whyNotAvailable } from './plans.ts'
import { configurationOf, providerChoices } from './provider-plans.ts'
import { asksForEvents, type Outcome, summarize } from './results.ts'
import { type Attendant, type Run, runPlan } from './run-plan.ts'
import { suiteAt } from './suite-api.ts'
import { startSuite } from './suite-processes.ts'

// npm run test:conformance             every plan; docs/conformance.md says how to build the suite
// npm run test:conformance -- poll     the plans whose title has the word; `openid`: those of an OpenID provider
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
  const isWanted = ({ title }: Plan) => words.every((word) => title.toLowerCase().includes(word.toLowerCase()))
  if (url === undefined) say('Starting the suite, which takes a minute or two')
  const origin = url ?? (await startSuite(hooks, folder ?? '', identityOfReceivers))
  const suite = suiteAt(origin)
  say(`OpenID conformance suite ${await suite.version()} at ${origin}`)
  const available = await suite.plans()
  const lacks = [...choices, ...providerChoices]
    .filter(isWanted)
    .map((choice) => [choice, whyNotAvailable(choice, available)] as const)
  for (const [{ title }, lack] of lacks) if (lack !== undefined) say(`${title}: not run, ${lack}`)
  const isRun = (choice: Plan) => isWanted(choice) && whyNotAvailable(choice, available) === undefined
  const run = { suite, say }
  const outcomes = [
    ...(await runTransmitter(run, choices.filter(isRun))),
    ...(await runProvider(run, providerChoices.filter(isRun), origin)),
  ]
  const { isGood, line } = summarize(outcomes, lacks.filter(([, lack]) => lack !== undefined).length)
  say(`\n${line}`)
  return isGood
}

/** The plans of Shared Signals. */
async function runTransmitter(run: Run, wanted: typeof choices): Promise<Outcome[]> {
  if (wanted.length === 0) return []
  const organizations = await openTransmitter(hooks, url && authorities ? { NODE_EXTRA_CA_CERTS: authorities } : {})
  say(`Muster at ${organizations.first.transmitter.issuer}`)
  const outcomes: Outcome[] = []
  for (const choice of wanted) {
    const organization = organizations[choice.organization]
    const configuration = configurationFor(choice, organization.transmitter)
    outcomes.push(...(await runPlan(run, choice, { configuration, attend: () => changingOnce(run, organization) })))
  }
  return outcomes
}

/** Changes the compliance of the device once the module waits for events of it. */
function changingOnce({ suite }: Run, { changeCompliance }: Organization): Attendant {
  let isChanged = false
  return {
    async look(id) {
      if (isChanged || !asksForEvents(await suite.log(id))) return
      isChanged = true
      await changeCompliance()
    },
  }
}

/** The plans of an OpenID provider, whose pages a browser opens. */
async function runProvider(run: Run, wanted: typeof providerChoices, origin: string): Promise<Outcome[]> {
  if (wanted.length === 0) return []
  const provider = await openProvider(hooks, origin)
  say(`Muster at ${provider.issuer}`)
  const browser = await openChromium(provider.origin)
  hooks.after(() => browser.close())
  const outcomes: Outcome[] = []
  for (const choice of wanted) {
    const { failing } = choice
    const attend = () => browserOfModule(browser, run.suite, provider)
    const configuration = configurationOf(choice, provider)
    outcomes.push(...(await runPlan(run, choice, { configuration, failing, attend })))
  }
  return outcomes
}
