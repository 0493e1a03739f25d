type Limits = {
  /** How many work at the same time. */
  readonly atOnce: number
  /** How many may wait in all, and of one organization; anyone beyond that is refused at once. */
  readonly maxWaiting: number
  readonly maxWaitingOfOne: number
  /** Who has not begun by then is refused. */
  readonly maxWaitMs: number
}

export type TurnRefusal = 'busy' | 'gone'
/** For whom the work is, and whether nobody waits for the answer anymore. */
type Caller = { readonly organizationId: string; readonly isGone: () => boolean }
type Waiting = {
  readonly isGone: () => boolean
  readonly begin: () => void
  readonly refuse: (why: TurnRefusal) => void
}

export type TurnsByOrganization = {
  /**
   * Runs `work` in its turn. Fails with what `refusalOf` makes of it when the turn does not come in time or the process stops
   * (`busy`), and when the caller is gone (`gone`): then without running it.
   */
  readonly take: <Result>(caller: Caller, work: () => Promise<Result>) => Promise<Result>
  /** How many wait for their turn. */
  readonly waiting: () => number
  /** Refuses those who wait and new arrivals; resolves when those who have begun are done. */
  readonly stop: () => Promise<void>
}

/**
 * Turns for work that takes long: organizations take turns, and the callers of one go in the order in which they come.
 * What comes faster than the server works is refused in part, and comes again later: a queue of everything would serve
 * callers that have hung up.
 */
export function turnsByOrganization(
  { atOnce, maxWaiting, maxWaitingOfOne, maxWaitMs }: Limits,
  refusalOf: (why: TurnRefusal) => Error,
): TurnsByOrganization {
  // In the order of their turns; without those of which nobody waits.
  const byOrganization = new Map<string, Set<Waiting>>()
  let size = 0
  let running = 0
  const { promise: idle, resolve: onIdle } = Promise.withResolvers<void>()
  let isStopping = false

  function add(organizationId: string, one: Waiting): void {
    const own = byOrganization.get(organizationId) ?? new Set()
    byOrganization.set(organizationId, own.add(one))
    size += 1
  }

  function remove(organizationId: string, one: Waiting): void {
    const own = byOrganization.get(organizationId)
    if (own?.delete(one)) size -= 1
    if (own?.size === 0) byOrganization.delete(organizationId)
  }

  /** The longest waiting of the organization whose turn it is, which is last then. */
  function takeNext(): Waiting | undefined {
    for (const [organizationId, own] of byOrganization) {
      const [one] = own
      byOrganization.delete(organizationId)
      byOrganization.set(organizationId, own)
      if (one) remove(organizationId, one)
      return one
    }
    return undefined
  }

  function next(): void {
    for (let one = takeNext(); one; one = takeNext()) {
      if (!one.isGone()) {
        one.begin()
        return
      }
      one.refuse('gone')
    }
    running -= 1
    if (isStopping && running === 0) onIdle()
  }

  const turn = ({ organizationId, isGone }: Caller): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        remove(organizationId, one)
        reject(refusalOf('busy'))
      }, maxWaitMs)
      const one: Waiting = {
        isGone,
        begin() {
          clearTimeout(timer)
          resolve()
        },
        refuse(why) {
          clearTimeout(timer)
          reject(refusalOf(why))
        },
      }
      add(organizationId, one)
    })

  return {
    async take(caller, work) {
      const own = byOrganization.get(caller.organizationId)?.size ?? 0
      if (isStopping || size >= maxWaiting || own >= maxWaitingOfOne) throw refusalOf('busy')
      if (running < atOnce) running += 1
      else await turn(caller)
      try {
        return await work()
      } finally {
        next()
      }
    },
    waiting: () => size,
    stop() {
      isStopping = true
      for (let one = takeNext(); one; one = takeNext()) one.refuse('busy')
      if (running === 0) onIdle()
      return idle
    },
  }
}
