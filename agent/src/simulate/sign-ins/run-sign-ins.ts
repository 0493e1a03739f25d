import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import { openTransport } from '../../protocol/open-transport.ts'
import { checkFixtures } from '../check-fixtures.ts'
import { createLatencies } from '../latencies.ts'
import { createQueryAnswers } from '../query-answers.ts'
import { type Laptop, type LaptopMemory, openLaptop } from './laptop.ts'
import { kindOfLaptop, planSignIn } from './plan-sign-ins.ts'
import { relyingParty } from './relying-party.ts'
import { type Outcome, type SignInPlan, signIn } from './sign-in.ts'
import type { SignInReport } from './sign-in-report.ts'
import type { SignInSetup } from './sign-in-setup.ts'
import { signInSteps } from './sign-in-steps.ts'

export type SignInsOptions = {
  setup: SignInSetup
  /** Of earlier runs with the same setup, in the order of its people. */
  laptops?: readonly LaptopMemory[]
  caFile?: string | undefined
  /** End after so many sign-ins, and after so long. */
  count: number
  durationMs?: number | undefined
  /** Sign-ins that begin in a second at most. */
  perSecond?: number | undefined
  concurrency: number
  /** Another seed, other sign-ins. */
  seed: number
  /** Of the laptops. */
  laptopSeed: number
  /** Replaces what the seed makes of a number. */
  plan?: ((members: readonly { email: string; laptop: Laptop }[], number: number) => SignInPlan) | undefined
  log: (line: string) => void
  signal: AbortSignal
}

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 (simulated)'
const progressMs = 5_000
const laptopsAtOnce = 4
const maxReasons = 50

/** Opens the laptops, then signs in until the count, the duration or the signal ends it. Failures are in the report. */
export async function openSignIns(options: SignInsOptions) {
  const { setup, signal, log } = options
  const ca = options.caFile === undefined ? undefined : await readFile(options.caFile, 'utf8')
  const dispatcher = new Agent({ connections: options.concurrency, ...(ca !== undefined && { connect: { ca } }) })
  const base = setup.issuer.replace(/\/signin\/oidc$/, '')
  const transport = await openTransport({ server: base, caFile: options.caFile, signal })
  const laptops = await openLaptops(options, { transport, server: base })
  log(`${laptops.length} laptops have enrolled and are linked`)
  const members = setup.people.map((email, index) => ({ email, laptop: laptops[index] as Laptop }))
  return {
    members,
    memories: laptops.map(({ memory }) => memory),
    run: (changed: Partial<SignInsOptions> = {}) => runSignIns({ ...options, ...changed }, members, dispatcher),
    async close() {
      await transport.close()
      await dispatcher.destroy()
    },
  }
}

async function openLaptops(
  { setup, laptops = [], laptopSeed, signal }: SignInsOptions,
  place: Pick<Parameters<typeof openLaptop>[0], 'transport' | 'server'>,
): Promise<Laptop[]> {
  const startedAtSeconds = Math.floor(Date.now() / 1000)
  const answers = createQueryAnswers(checkFixtures, startedAtSeconds)
  const parts = { ...place, enrollSecret: setup.enrollSecret, answers, startedAtSeconds }
  const opened: Laptop[] = []
  let next = 0
  const openNext = async () => {
    while (next < setup.people.length) {
      signal.throwIfAborted()
      const index = next
      next += 1
      opened[index] = await openLaptop(parts, { seed: laptopSeed, index, kind: kindOfLaptop(index) }, laptops[index])
    }
  }
  await Promise.all(Array.from({ length: laptopsAtOnce }, openNext))
  return opened
}

async function runSignIns(
  options: SignInsOptions,
  members: readonly { email: string; laptop: Laptop }[],
  dispatcher: Dispatcher,
): Promise<SignInReport> {
  const { setup, count, durationMs = Number.POSITIVE_INFINITY, perSecond, signal, seed, log } = options
  const steps = signInSteps()
  const party = await relyingParty(setup, { dispatcher, steps })
  const { origin } = new URL(setup.issuer)
  const parts = { party, browser: { dispatcher, origin, userAgent, steps } }
  const whole = createLatencies()
  const counts = new Map<Outcome, number>()
  const failures = new Map<string, number>()
  const beganAt = performance.now()
  let [begun, ended, toldAt] = [0, 0, beganAt]

  const isOver = () => signal.aborted || begun >= count || performance.now() - beganAt >= durationMs
  async function take(): Promise<void> {
    while (!isOver()) {
      const number = begun
      begun += 1
      if (perSecond !== undefined) await untilDue(beganAt + (number * 1_000) / perSecond)
      if (signal.aborted) return
      await once(options.plan?.(members, number) ?? planSignIn(members, seed, number))
      ended += 1
      tell()
    }
  }
  async function once(plan: SignInPlan): Promise<void> {
    const startedAt = performance.now()
    try {
      const outcome = await signIn(parts, plan)
      whole.record(performance.now() - startedAt)
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (failures.has(reason) || failures.size < maxReasons) failures.set(reason, (failures.get(reason) ?? 0) + 1)
    }
  }
  const untilDue = (atMs: number) => pause(Math.max(0, atMs - performance.now()), undefined, { signal }).catch(() => {})
  function tell(): void {
    if (performance.now() - toldAt < progressMs) return
    toldAt = performance.now()
    log(`${ended} sign-ins, ${(ended / ((toldAt - beganAt) / 1_000)).toFixed(1)} a second, ${sumOf(failures)} failed`)
  }

  await Promise.all(Array.from({ length: Math.min(options.concurrency, count) }, take))
  return {
    signIns: ended,
    elapsedMs: performance.now() - beganAt,
    outcomes: Object.fromEntries(counts),
    failures: Object.fromEntries(failures),
    whole: whole.summary(),
    steps: steps.summaries(),
  }
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0)
