import type { TransactionStatus } from './messages.ts'

type Statement = { client: number; run: () => TransactionStatus; refuse: (message: string) => void }

export type SessionQueue = {
  /** Runs at once unless another client's transaction is open; then in order after it. */
  submit(statement: Statement): void
  /** Ends what the client left open. */
  release(client: number): void
  isIdle(): boolean
}

/**
 * The engine has one session. Whoever's statement leaves a transaction open holds it until a statement of theirs
 * ends it, they release it, or the time limit passes; the statements of others wait in order meanwhile.
 */
export function sessionQueue(rollBack: () => void, timeLimitMs: number): SessionQueue {
  const waiting: Statement[] = []
  const expired = new Set<number>()
  let holder: number | undefined
  let timer: NodeJS.Timeout | undefined

  function execute(statement: Statement): void {
    if (expired.has(statement.client)) {
      statement.refuse(`The transaction was rolled back: it was open longer than ${timeLimitMs / 1000} seconds`)
      return
    }
    const status = statement.run()
    if (status === 'I') {
      free()
    } else if (holder === undefined) {
      holder = statement.client
      timer = setTimeout(expire, timeLimitMs)
    }
  }

  function free(): void {
    clearTimeout(timer)
    holder = undefined
  }

  function expire(): void {
    if (holder === undefined) return
    expired.add(holder)
    rollBack()
    free()
    drain()
  }

  function drain(): void {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      execute(next)
      if (holder === undefined) continue
      // The holder's own statements, if any queued before it held the session, come first.
      const own = waiting.filter(({ client }) => client === holder)
      if (own.length === 0) return
      waiting.splice(0, waiting.length, ...own, ...waiting.filter(({ client }) => client !== holder))
    }
  }

  return {
    submit(statement) {
      if (holder !== undefined && holder !== statement.client) {
        waiting.push(statement)
        return
      }
      execute(statement)
      if (holder === undefined) drain()
    },
    release(client) {
      expired.delete(client)
      if (holder !== client) return
      rollBack()
      free()
      drain()
    },
    isIdle: () => holder === undefined && waiting.length === 0,
  }
}
