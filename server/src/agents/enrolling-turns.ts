type Limits = {
  /** How many enroll at the same time. */
  readonly atOnce: number
  /** How many may wait; whoever comes then is refused at once. */
  readonly maxWaiting: number
  /** Agents hang up after 16 s: who has not begun by then is refused while there is still somebody to tell. */
  readonly maxWaitMs: number
}

type Refusal = 'busy' | 'gone'
type Waiting = { readonly isGone: () => boolean; readonly begin: () => void; readonly refuse: (why: Refusal) => void }

export type EnrollingTurns = {
  /**
   * Runs `work` in its turn. Fails with status 503 when the turn does not come in time or the process stops, and
   * without running it when `isGone` says that nobody waits for the answer any more.
   */
  readonly take: <Result>(work: () => Promise<Result>, isGone: () => boolean) => Promise<Result>
  /** How many wait for their turn. */
  readonly waiting: () => number
  /** Refuses those who wait and whoever comes; resolves when those who have begun are done. */
  readonly stop: () => Promise<void>
}

/**
 * Turns for enrolling, in the order in which agents come. Of a roll-out that is faster than the server a part is refused
 * and tries again later. A queue as long as the roll-out would serve agents that have hung up, and these come back and
 * end the key that they never got.
 */
export function enrollingTurns(
  { atOnce, maxWaiting, maxWaitMs }: Limits,
  onRefusal: (why: Refusal) => void,
): EnrollingTurns {
  const waiting = new Set<Waiting>()
  let running = 0
  const { promise: idle, resolve: onIdle } = Promise.withResolvers<void>()
  let isStopping = false

  function refusal(why: Refusal): Error {
    onRefusal(why)
    return Object.assign(new Error(messages[why]), { statusCode: statuses[why] })
  }

  function next(): void {
    for (const one of waiting) {
      waiting.delete(one)
      if (!one.isGone()) {
        one.begin()
        return
      }
      one.refuse('gone')
    }
    running -= 1
    if (isStopping && running === 0) onIdle()
  }

  const turn = (isGone: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(one)
        reject(refusal('busy'))
      }, maxWaitMs)
      const one: Waiting = {
        isGone,
        begin() {
          clearTimeout(timer)
          resolve()
        },
        refuse(why) {
          clearTimeout(timer)
          reject(refusal(why))
        },
      }
      waiting.add(one)
    })

  return {
    async take(work, isGone) {
      if (isStopping || waiting.size >= maxWaiting) throw refusal('busy')
      if (running < atOnce) running += 1
      else await turn(isGone)
      try {
        return await work()
      } finally {
        next()
      }
    },
    waiting: () => waiting.size,
    stop() {
      isStopping = true
      for (const one of waiting) one.refuse('busy')
      waiting.clear()
      if (running === 0) onIdle()
      return idle
    },
  }
}

const statuses = { busy: 503, gone: 499 } as const
/** Neither says a word on the node key: the agent keeps trying. */
const messages = {
  busy: 'Too many machines enroll at the same time. Try again later.',
  gone: 'The agent has hung up.',
} as const
