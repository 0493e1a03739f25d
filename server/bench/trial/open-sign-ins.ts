import type { Laptop } from '@muster/agent/simulate/sign-ins/laptop.ts'
import { openSignIns } from '@muster/agent/simulate/sign-ins/run-sign-ins.ts'
import type { SignInReport } from '@muster/agent/simulate/sign-ins/sign-in-report.ts'
import type { SignInSetup } from '@muster/agent/simulate/sign-ins/sign-in-setup.ts'
import type { Bench } from '../figure.ts'
import { onServer, openTrial, type Trial } from './open-trial.ts'
import { ownPort } from './own-port.ts'
import { addConnections, prepareSignIns } from './prepare-sign-ins.ts'
import { type Subject, startProcess } from './start-process.ts'

export type SignInTrial = {
  trial: Trial
  ours: Subject
  /** The environment of a bare process beside it. */
  twin: Readonly<Record<string, string>>
  setups: readonly SignInSetup[]
  /** Those whose laptops are not blocked. */
  members: readonly { email: string; laptop: Laptop }[]
  /** Everyone with a laptop that is not blocked gets in, in turn, at a connection that they have not come to before. */
  signInAll: (total: number, more?: { perSecond?: number }) => Promise<SignInReport>
  close: () => Promise<void>
}

const concurrency = 4

/** A server with people whose laptops have enrolled and are registered. */
export async function openSignInTrial(
  { engine, say }: Bench,
  { name, people, connections, sql = '' }: { name: string; people: number; connections: number; sql?: string },
): Promise<SignInTrial> {
  const trial = await openTrial(engine, name)
  if (sql !== '') await trial.load(sql)
  await trial.ready()
  const twin = await trial.twinEnv()
  const env = { ...trial.env, ...(await ownPort()), MUSTER_TRUST_PROXY: 'loopback' }
  const file = await prepareSignIns(env, people)
  const setups = await addConnections(env, file.setup, connections)
  const ours = await startProcess(new URL('../serve.ts', import.meta.url), env)
  const signal = new AbortController().signal
  const opened = await openSignIns({ ...file, count: people, concurrency, seed: 1, signal, log: say })
  const usable = opened.members.filter(({ laptop }) => laptop.kind !== 'blocked')
  let [arrivals, turn] = [0, 0]

  async function signInAll(total: number, more: { perSecond?: number } = {}): Promise<SignInReport> {
    const setup = setups[turn % setups.length]
    turn += 1
    const plan = (_: unknown, number: number) => {
      const member = usable[number % usable.length]
      if (!member) throw new Error('There is nobody to sign in')
      arrivals += 1
      // From an address of their own: a network may begin a few sign-ins only.
      const from = `10.${arrivals >> 16}.${(arrivals >> 8) & 255}.${arrivals & 255}`
      return { ...member, intent: 'sign_in' as const, from }
    }
    const report = await opened.run({ count: total, plan, ...(setup && { setup }), ...more })
    const failures = Object.entries(report.failures)
    if (failures.length > 0) throw new Error(`Sign-ins failed: ${JSON.stringify(failures)}`)
    return report
  }

  say('warming up: every laptop is registered')
  await signInAll(usable.length)
  // As PostgreSQL does by itself within minutes: until then its plans are those of empty tables.
  if (trial.databaseUrl !== undefined) await onServer(trial.databaseUrl, 'analyze')
  return {
    ...{ trial, ours, twin, setups, members: usable, signInAll },
    async close() {
      await opened.close()
      await ours.stop()
      await trial.remove()
    },
  }
}
