import type { Connection, IsolatedConnection } from '../../base/db/connect.ts'
import type { Db } from '../../base/db/transact.ts'
import { inEmbeddedCopy } from './embedded-copy.ts'
import { QueryRefused } from './query-refused.ts'
import type { Mentions } from './size/size-of-query.ts'

export type IsolatedWork = {
  readonly organizationId: string
  /** Of the query; undefined when it is only tried. */
  readonly queryId?: string | undefined
  readonly mentions: Mentions
}

/** Waits so many milliseconds at most, then ends the session whatever it computes and throws QueryRefused. */
export type Within = <T>(limitMs: number, working: Promise<T>) => Promise<T>

/**
 * Runs `work` on a session of its own that can be ended while it computes: on PostgreSQL a connection named after the
 * query, on the embedded engine a copy of the organization's tables in memory.
 */
export async function inIsolation<T>(
  connection: Connection,
  query: IsolatedWork,
  work: (db: Db, within: Within) => Promise<T>,
): Promise<T> {
  if (connection.engine === 'pglite') {
    return inEmbeddedCopy(connection, query, (copy) => withLimits(copy, work))
  }
  const session = await connection.openIsolated(sessionName(query))
  try {
    return await withLimits(session, work)
  } finally {
    await session.close()
  }
}

export const sessionPrefix = 'muster report '

/** What `muster doctor` knows the session by: the organization's identifier, and the query's or a dash. */
const sessionName = ({ organizationId, queryId = '-' }: IsolatedWork): string =>
  `${sessionPrefix}${organizationId}/${queryId}`

const tookTooLong = 'The query took too long.'
const goesOn = 'The query took too long, and the database has not ended it yet: `muster doctor` names its process.'

async function withLimits<T>(session: IsolatedConnection, work: (db: Db, within: Within) => Promise<T>): Promise<T> {
  let ended: QueryRefused | undefined

  async function within<R>(limitMs: number, working: Promise<R>): Promise<R> {
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.resolve(undefined), limitMs)
    try {
      const outcome = await Promise.race([working.then((value) => ({ value })), late.promise])
      if (outcome) return outcome.value
    } finally {
      clearTimeout(timer)
    }
    working.catch(() => {})
    // One that does not end is not begun again beside itself within minutes.
    const isEnded = await session.kill()
    ended ??= new QueryRefused(isEnded ? tookTooLong : goesOn, { isPassing: isEnded })
    throw ended
  }

  try {
    return await work(session.db, within)
  } catch (error) {
    // What is left of the transaction fails in ways of its own.
    throw ended ?? error
  }
}
