import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { alarm } from './alarm.ts'
import { claimTimes } from './claim-times.ts'
import { type Leases, leaseMs, type Scope, type WorkKey } from './leases.ts'
import { repeat } from './repeat.ts'

/** Work under lease in this process. */
export type HeldWork = {
  readonly key: WorkKey
  /** Begins what can begin now; nothing once the lease is over. */
  dispatch(): void
  /** When to continue although nobody calls, in the clock of `nowMs`; undefined when never. */
  wakeAtMs(): number | undefined
  isIdle(): boolean
  /** The lease holds until then, in the clock of `performance.now`. */
  extend(untilMs: number): void
  /** Begins nothing more and cuts what is under way. */
  abandon(): void
  /** Begins nothing more; resolves when what is under way is written. */
  drain(): Promise<void>
}

export type LeasedWork<Claimed extends WorkKey, Work extends HeldWork> = {
  /** For log lines: "streams". */
  name: string
  holder: string
  leases: Leases<Claimed>
  /** Makes work of what was claimed; what cannot be worked on is left out. */
  open(claimed: readonly Claimed[], validUntilMs: number): Promise<Work[]>
  /** There may be something new; returns the work that is no longer there. */
  refresh(works: readonly Work[]): Promise<Work[]>
  /** Reads the work of as many of these as a round should take; returns those that were read. */
  read(works: readonly Work[]): Promise<readonly Work[]>
  /** Calls back with the organization that has something new, or undefined when something may have been missed. */
  subscribe(onNews: (organizationId: string | undefined) => void): () => void
  nowMs: () => number
  /** The clock was put back: times that were written before may be far ahead of it. */
  onClockPutBack?: () => Promise<unknown>
  log: Logger
}

export type Running = {
  /** There may be something to read, or to begin. */
  wake(): void
  stop(): Promise<void>
}

const renewEveryMs = 2_000
/** Before the database thinks so, a lease is over here. */
const leaseMarginMs = 1_000
const lookForAbandonedEveryMs = 1_000
/** For what nobody was notified of. */
const lookForAllEveryMs = 5_000
const idleBeforeReleaseMs = 3_000
const stopWithinMs = 5_000
const writeWithinMs = 1_000
const maxSleepMs = 1_000
/** A clock that is put back by more than this has made the times in memory useless. */
const steppedBackMs = 2_000

const nameOf = ({ organizationId, id }: WorkKey): string => `${organizationId}/${id}`

type Held<Work> = { work: Work; busyAtMs: number }

/**
 * Does work that any number of processes share: each piece is leased by one of them at a time, and taken over within
 * seconds from one that dies. Wakes when there is news or something is due; polls only now and then.
 */
export function startLeasedWork<Claimed extends WorkKey, Work extends HeldWork>(
  definition: LeasedWork<Claimed, Work>,
): Running {
  const { name, holder, leases, nowMs, log } = definition
  const held = new Map<string, Held<Work>>()
  const claims = claimTimes()
  const bell = alarm()
  const changed = new Set<string>()
  let isStopping = false
  const report = (what: string) => (error: unknown) => log.error({ err: error, work: name }, what)
  const cannotLook = report('Could not look for work')
  const worksOf = (some: Iterable<Held<Work>>) => Array.from(some, ({ work }) => work)
  const validFromNow = () => performance.now() + leaseMs - leaseMarginMs

  const unsubscribe = definition.subscribe((organizationId) => {
    if (organizationId === undefined) return void look('all').catch(cannotLook)
    changed.add(organizationId)
    claims.ask(organizationId, performance.now())
    bell.ring()
  })

  async function look(of: Scope): Promise<void> {
    const validUntilMs = validFromNow()
    const claimed = await leases.claim(holder, of)
    const fresh = claimed.filter((key) => !held.has(nameOf(key)))
    for (const work of fresh.length > 0 ? await definition.open(fresh, validUntilMs) : []) {
      held.set(nameOf(work.key), { work, busyAtMs: performance.now() })
    }
    if (of === 'all') await refresh(worksOf(held.values()))
    if (fresh.length > 0 || of === 'all') bell.ring()
  }

  async function refresh(works: readonly Work[]): Promise<void> {
    if (works.length === 0) return
    const gone = await definition.refresh(works)
    for (const work of gone) forget(work)
    // It may be there again at any moment.
    await leases.release(
      holder,
      gone.map(({ key }) => key),
    )
  }

  function forget(work: Work): void {
    work.abandon()
    held.delete(nameOf(work.key))
  }

  async function round(): Promise<void> {
    const due = claims.takeDue(performance.now())
    const noticed = new Set(changed)
    changed.clear()
    if (due.length > 0) await look(due)
    await refresh(worksOf(held.values()).filter(({ key }) => noticed.has(key.organizationId)))
    for (const work of await definition.read(worksOf(held.values()))) putLast(work)
    for (const { work } of held.values()) work.dispatch()
  }

  /** The others come first in the next round. */
  function putLast(work: Work): void {
    const name = nameOf(work.key)
    if (held.get(name)?.work !== work) return
    held.delete(name)
    held.set(name, { work, busyAtMs: performance.now() })
    bell.ring()
  }

  function sleepMs(roundAtMs: number): number {
    // What was due when the round began is done, or waits for something that rings.
    const wakes = worksOf(held.values())
      .flatMap((work) => work.wakeAtMs() ?? [])
      .filter((atMs) => atMs > roundAtMs)
    const untilWake = Math.min(...wakes) - nowMs()
    const untilClaim = claims.nextMs() - performance.now()
    return Math.max(1, Math.min(untilWake, untilClaim, maxSleepMs))
  }

  /** The clock was put back: what waits in memory would wait for as long again. It is claimed and read again. */
  async function beginAnew(): Promise<void> {
    const all = worksOf(held.values())
    for (const work of all) forget(work)
    const keys = all.map(({ key }) => key)
    await leases.release(holder, keys)
    await definition.onClockPutBack?.()
    await look('all')
  }

  async function run(): Promise<void> {
    let lastAtMs = nowMs()
    while (!isStopping) {
      const roundAtMs = nowMs()
      try {
        if (roundAtMs < lastAtMs - steppedBackMs) await beginAnew()
        lastAtMs = roundAtMs
        await round()
      } catch (error) {
        report('A round of work failed')(error)
        await pause(500)
        // Whatever was to be done is found by the next look.
        await look('all').catch(() => {})
      }
      await bell.sleep(sleepMs(roundAtMs))
    }
  }

  async function renew(): Promise<void> {
    const validUntilMs = validFromNow()
    const idleSince = performance.now() - idleBeforeReleaseMs
    const all = [...held.values()]
    const idle = worksOf(all.filter(({ work, busyAtMs }) => work.isIdle() && busyAtMs < idleSince))
    for (const work of idle) forget(work)
    const kept = worksOf(all).filter((work) => !idle.includes(work))
    const keysOf = (works: readonly Work[]) => works.map(({ key }) => key)
    const renewed = new Set((await leases.renew(holder, keysOf(kept))).map(nameOf))
    for (const work of kept) {
      if (renewed.has(nameOf(work.key))) work.extend(validUntilMs)
      else forget(work)
    }
    await leases.release(holder, keysOf(idle))
    // For what was queued between the last reading and the release.
    for (const { key } of idle) claims.ask(key.organizationId, performance.now())
    bell.ring()
  }

  const works = [
    repeat(renewEveryMs, renew, report('Leases could not be renewed')),
    repeat(lookForAbandonedEveryMs, () => look('abandoned'), cannotLook),
    repeat(lookForAllEveryMs, () => look('all'), cannotLook),
  ]
  const running = run()

  return {
    wake: bell.ring,
    async stop() {
      isStopping = true
      unsubscribe()
      bell.ring()
      await running
      await Promise.all(works.map((work) => work.stop()))
      const left = worksOf(held.values())
      const drained = Promise.all(left.map((work) => work.drain()))
      await Promise.race([drained, pause(stopWithinMs, undefined, { ref: false })])
      for (const work of left) work.abandon()
      await Promise.race([drained, pause(writeWithinMs, undefined, { ref: false })])
      await leases.release(
        holder,
        left.map(({ key }) => key),
      )
    },
  }
}
