import type { Plan } from './plans.ts'
import { type ExpectedFailure, linesOf, type Outcome, readOutcome } from './results.ts'
import type { SuiteApi } from './suite-api.ts'

export type Run = {
  readonly suite: SuiteApi
  say(line: string): void
}

/** What is done for a module while it runs: `look` about twice a second. */
export type Attendant = { look(id: string): Promise<void>; close?(): Promise<void> }

type Attended = {
  readonly configuration: object
  /** Modules that are to fail. */
  readonly failing?: Readonly<Record<string, ExpectedFailure>>
  attend(): Attendant | Promise<Attendant>
}

/** The modules go one after the other: those of a transmitter delete the streams of their token that they find. */
export async function runPlan({ suite, say }: Run, choice: Plan, { configuration, failing, attend }: Attended) {
  say(`\n${choice.title}: ${choice.plan}`)
  const plan = await suite.createPlan(choice.plan, choice.variant, configuration)
  const outcomes: Outcome[] = []
  for (const module of plan.modules) {
    const { look, close } = await attend()
    const id = await suite.startModule(plan.id, module)
    const info = await suite.finish(id, () => look(id))
    await close?.()
    const outcome = readOutcome(module.testModule, info, await suite.log(id), failing?.[module.testModule])
    outcomes.push(outcome)
    for (const line of linesOf(outcome)) say(`  ${line}`)
  }
  return outcomes
}
