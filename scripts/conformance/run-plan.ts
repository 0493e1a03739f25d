import type { Organization } from './open-transmitter.ts'
import { configurationFor, type PlanChoice } from './plans.ts'
import { asksForEvents, linesOf, type Outcome, readOutcome } from './results.ts'
import type { SuiteApi } from './suite-api.ts'

export type Run = {
  readonly suite: SuiteApi
  readonly organization: Organization
  say(line: string): void
}

/** The modules go one after the other: each deletes the streams of its token that it finds. */
export async function runPlan({ suite, organization, say }: Run, choice: PlanChoice): Promise<Outcome[]> {
  const { transmitter, changeCompliance } = organization
  say(`\n${choice.title}: ${choice.plan}`)
  const plan = await suite.createPlan(choice.plan, choice.variant, configurationFor(choice, transmitter))
  const outcomes: Outcome[] = []
  for (const module of plan.modules) {
    const id = await suite.startModule(plan.id, module)
    let isChanged = false
    const info = await suite.finish(id, async () => {
      if (isChanged || !asksForEvents(await suite.log(id))) return
      isChanged = true
      await changeCompliance()
    })
    const outcome = readOutcome(module.testModule, info, await suite.log(id))
    outcomes.push(outcome)
    for (const line of linesOf(outcome)) say(`  ${line}`)
  }
  return outcomes
}
