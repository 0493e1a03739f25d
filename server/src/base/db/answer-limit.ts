import type pg from 'pg'
import { Counter } from 'prom-client'

/** In no registry: the process that serves metrics registers it. */
export const unansweredCounter = new Counter({
  name: 'muster_database_unanswered_total',
  help: 'Statements that the database did not answer in time, whose connections were closed.',
  registers: [],
})

/** What was asked may have been done. */
export class NoAnswer extends Error {
  readonly code = 'ETIMEDOUT'
}

const lifts = new WeakMap<object, () => void>()

/**
 * Closes a connection whose server has not answered for so long, in milliseconds: `statement_timeout` is kept by the
 * server, which may not be there anymore. What was asked fails with `NoAnswer`. The driver's
 * own `query_timeout` would leave the connection open, with the next statement waiting behind the one before.
 */
export function limitAnswers(client: pg.ClientBase, limitMs: number): void {
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
  }
  // A process that was held up itself reads first what has come meanwhile.
  const expire = () => setImmediate(() => timer && giveUp(client, limitMs))
  const query = client.query
  Object.assign(client, {
    query: (...asked: unknown[]) => {
      // Nothing drains after its end: the driver rejects by itself what is asked then.
      if (!streamOf(client).destroyed) timer ??= setTimeout(expire, limitMs)
      return Reflect.apply(query, client, asked)
    },
  })
  // All that was asked has been answered.
  client.on('drain', stop)
  client.on('end', stop)
  lifts.set(client, stop)
}

/** Lets the statement under way take as long as it needs. */
export function liftLimit(client: pg.ClientBase): void {
  lifts.get(client)?.()
}

function giveUp(client: pg.ClientBase, limitMs: number): void {
  unansweredCounter.inc()
  streamOf(client).destroy(
    new NoAnswer(`The database has not answered within ${limitMs / 1_000} s, so the connection was closed`),
  )
}

const goodbyeMs = 1_000

/**
 * Has a connection that is ended say goodbye, and not wait for a server that does not hear it: the pool would end one that was
 * idle only for itself, and the process would live on with its socket.
 */
export function limitGoodbye(client: pg.ClientBase): void {
  const { end } = client as pg.Client
  Object.assign(client, {
    end: (...asked: unknown[]) => {
      const stream = streamOf(client)
      if (!stream.destroyed) {
        const timer = setTimeout(() => stream.destroy(), goodbyeMs)
        client.once('end', () => clearTimeout(timer))
      }
      return Reflect.apply(end, client, asked)
    },
  })
}

export const endClient = (client: pg.Client): Promise<void> => client.end().catch(() => {})

/** The driver's type has it for clients that stand alone; those of a pool have it as well. */
const streamOf = (client: pg.ClientBase) => (client as pg.Client).connection.stream
