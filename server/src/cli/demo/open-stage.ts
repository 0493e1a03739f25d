import { unwatchFile, watchFile } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/transact.ts'
import { checkAgain, checkAllAgain, untilChecked } from './check-again.ts'
import { demoFile } from './demo-check.ts'
import { type DemoPerson, madeUpLaptops } from './demo-people.ts'
import type { Desk } from './open-desk.ts'
import type { Machines } from './run-machines.ts'
import { addDemoLaptops, type DemoOrganization } from './set-up-organization.ts'
import { listStandings, type Standing } from './standings.ts'

/** How soon it is seen that the visitor has made the file of the demo check, or removed it. */
const watchMs = 500

export type Stage = ReturnType<typeof openStage>

type Parts = {
  db: Db
  organization: DemoOrganization
  machines: Machines
  desk: Desk
  clock: Clock
  onError: (error: unknown) => void
}

const readyLimitMs = 60_000
const pollMs = 50

/** The people of the demo and their machines, as they stand in the server. */
export function openStage({ db, organization, machines, desk, clock, onError }: Parts) {
  const { organizationId, checkId } = organization
  const standings = () => listStandings(db, organizationId, machines.serials, clock())

  async function findThisMachine() {
    const deviceId = (await standings()).get('this machine')?.deviceId
    return deviceId === undefined ? undefined : { organizationId, deviceId, checkId }
  }

  /** Has the demo check of this machine run, where it has an agent. */
  async function checkThisMachine() {
    const place = await findThisMachine()
    if (place) await checkAgain(db, place, clock())
    return place
  }

  /** The check of this machine runs when there is something to see, and not only once in its interval. */
  const onFileChanged = () => void checkThisMachine().catch(onError)
  watchFile(demoFile(), { interval: watchMs }, onFileChanged)

  /** Sits the visitor down where the person sits, at a machine whose demo check has just run. */
  async function prepare({ seat }: DemoPerson): Promise<void> {
    const place = seat === 'this machine' ? await checkThisMachine().catch(() => undefined) : undefined
    await desk.sitAt(seat)
    if (place) await untilChecked(db, place, clock)
  }

  /** Breaks or repairs what a check looks for on a made-up laptop. Returns false for one that has no such thing. */
  async function turn(laptop: string, slug: string): Promise<boolean> {
    const broken = machines.broken.get(laptop)
    const isKnown = madeUpLaptops.some((one) => one.name === laptop && one.broken.includes(slug))
    if (!broken || !isKnown) return false
    if (!broken.delete(slug)) broken.add(slug)
    const deviceId = (await standings()).get(laptop)?.deviceId
    if (deviceId !== undefined) await checkAllAgain(db, { organizationId, deviceId }, clock())
    return true
  }

  /** Resolves once all machines have enrolled and the made-up ones stand as they should; rejects when they do not. */
  async function untilReady(signal: AbortSignal): Promise<void> {
    const isThere = (known: Map<string, Standing>, name: string) => known.has(name)
    const all = madeUpLaptops.map(({ name }) => name)
    const enrolled = await until(signal, (known) => all.every((name) => isThere(known, name)))
    const ids = all.map((name) => enrolled.get(name)?.deviceId ?? '')
    if (!signal.aborted) await addDemoLaptops(db, organization, ids, clock())
    await until(signal, (known) => madeUpLaptops.every((laptop) => isAsMeant(laptop, known.get(laptop.name))))
    await until(signal, (known) => machines.faultOfThisMachine() !== undefined || isThere(known, 'this machine'))
  }

  async function until(signal: AbortSignal, isSo: (known: Map<string, Standing>) => boolean) {
    for (const endsAtMs = performance.now() + readyLimitMs; ; ) {
      const known = await standings()
      if (isSo(known) || signal.aborted) return known
      if (performance.now() > endsAtMs) throw new Error('The machines of the demo did not enroll within a minute')
      await sleep(pollMs)
    }
  }

  return {
    ...{ db, organization, clock, standings, prepare, turn, untilReady },
    close: () => unwatchFile(demoFile(), onFileChanged),
    fault: machines.faultOfThisMachine,
    isBroken: (laptop: string, slug: string) => machines.broken.get(laptop)?.has(slug) === true,
  }
}

const isAsMeant = ({ broken }: { broken: readonly string[] }, standing: Standing | undefined): boolean =>
  standing !== undefined && (standing.state === 'good') === (broken.length === 0)
