import { join } from 'node:path'
import { runAgent } from '@muster/agent/run-agent.ts'
import type { QueryRunner } from '@muster/agent/sql/query-runner.ts'
import { madeUpLaptops } from './demo-people.ts'
import { madeUpAnswers, madeUpRunner, profileOf } from './made-up-runner.ts'
import type { Desk } from './open-desk.ts'

export type Machines = {
  /** The checks that a made-up laptop fails; a change shows at the next run. */
  broken: ReadonlyMap<string, Set<string>>
  serials: ReadonlyMap<string, string>
  /** Why this machine has no agent; undefined while it has one. */
  faultOfThisMachine: () => string | undefined
  ended: Promise<void>
}

type Parts = {
  server: string
  /** By machine. */
  enrollSecrets: ReadonlyMap<string, string>
  desk: Desk
  folder: string
  log: (line: string) => void
  signal: AbortSignal
}

/** Whoever watches the start page sees within a few seconds what they changed. */
const intervals = { distributedMs: 2_000 }

/** Runs the bundled agent for this machine, and for each made-up laptop with made-up tables in place of its own. */
export function runMachines({ server, enrollSecrets, desk, folder, log, signal }: Parts): Machines {
  const answers = madeUpAnswers(Math.floor(Date.now() / 1000))
  const broken = new Map(madeUpLaptops.map(({ name, broken: slugs }) => [name, new Set(slugs)]))
  const serials = new Map<string, string>()
  let fault: string | undefined

  function run(name: string, runner?: QueryRunner): Promise<void> {
    return runAgent({
      ...{ server, signal, intervals, enrollSecret: enrollSecrets.get(name) ?? '' },
      ...(runner && { runner }),
      stateFile: join(folder, `${name.replaceAll(' ', '-')}.json`),
      companion: desk.companionOf(name),
      log: (line) => log(`${name}: ${line}`),
    })
  }

  const made = madeUpLaptops.map((laptop, index) => {
    const profile = profileOf(laptop, index)
    serials.set(laptop.name, profile.serial)
    return run(laptop.name, madeUpRunner(answers, profile, broken.get(laptop.name) ?? new Set()))
  })
  const own = run('this machine').catch((error: unknown) => {
    fault = error instanceof Error ? error.message : String(error)
    log(`this machine: ${fault}`)
  })
  const ended = Promise.allSettled([own, ...made]).then(() => {})
  return { broken, serials, faultOfThisMachine: () => fault, ended }
}
