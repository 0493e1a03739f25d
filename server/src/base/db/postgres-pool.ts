import pg from 'pg'
import { endClient, liftLimit, limitAnswers, limitGoodbye } from './answer-limit.ts'
import { noteDatabaseError } from './database-errors.ts'
import type { NamedStatements } from './named-statements.ts'
import type { Sessions } from './sessions.ts'
import { type SessionSettings, settleSession, statementTimeoutOf } from './settle-session.ts'
import { isStalePlan } from './stale-plan.ts'
import { encodeValue, parserOf } from './values.ts'

export type PostgresSettings = SessionSettings & { url: string; maxConnections?: number }

/** Our values instead of the driver's, for this connection only; everything is asked for as text but bytes. */
const types: pg.CustomTypesConfig = { getTypeParser: ((oid: number) => parserOf(oid)) as typeof pg.types.getTypeParser }

class DatabaseClient extends pg.Client {
  constructor(settings?: string | pg.ClientConfig) {
    super(settings)
    this.connection.on('error', noteDatabaseError)
  }
}

const clientSettings = ({ url }: PostgresSettings): pg.ClientConfig => ({
  connectionString: url,
  types,
  keepAlive: true,
  // The system's own is two hours.
  keepAliveInitialDelayMillis: 10_000,
})

/** What the server needs to end a statement that takes too long, and to say so. */
const graceMs = 5_000

/** Sets a new connection up. Without a limit for statements, an answer may take any time. */
async function beginSession(client: pg.ClientBase, settings: PostgresSettings): Promise<void> {
  limitGoodbye(client)
  const limitMs = statementTimeoutOf(settings)
  if (limitMs > 0) limitAnswers(client, limitMs + graceMs)
  await settleSession(client, settings)
}

/** A connection beside the pool, set up as those of the pool are. */
export async function openClient(settings: PostgresSettings): Promise<pg.Client> {
  const client = new DatabaseClient({ ...clientSettings(settings), connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await beginSession(client, settings)
  } catch (error) {
    await endClient(client)
    throw error
  }
  return client
}

/** The host that a connection URL leads to, as the driver reads it; undefined for a socket file. */
export function postgresHost(url: string): string | undefined {
  const { host } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? undefined : host
}

export function openPool(settings: PostgresSettings): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(settings),
    Client: DatabaseClient,
    max: settings.maxConnections ?? 10,
    connectionTimeoutMillis: 10_000,
    // oxlint-disable-next-line typescript/no-misused-promises -- The pool waits for it, though its type does not say so.
    onConnect: (client) => beginSession(client, settings),
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The pool's connections, with values encoded our way and repeating texts named. */
export function postgresSessions(pool: pg.Pool, names: NamedStatements): Sessions {
  return {
    async connect() {
      const client = await pool.connect()
      return {
        run(text, parameters, { mayTakeLong = false } = {}) {
          const answer = run(client, names, text, parameters.map(encodeValue))
          if (mayTakeLong) liftLimit(client)
          return answer
        },
        release: (destroy) => client.release(destroy),
      }
    },
    end: () => pool.end(),
  }
}

async function run(client: pg.PoolClient, names: NamedStatements, text: string, values: (string | Buffer | null)[]) {
  const name = values.length > 0 ? names.nameOf(text) : undefined
  if (name === undefined) {
    // A script of several statements answers with one result each.
    const answer: pg.QueryResult | pg.QueryResult[] = await client.query(text, values)
    return Array.isArray(answer) ? answer : [answer]
  }
  try {
    return [await client.query({ name, text, values })]
  } catch (error) {
    if (!isStalePlan(error)) throw error
    names.retire(text)
    // Nothing has run yet, so outside a transaction once more is the same; inside, `transact` begins again.
    if (client.getTransactionStatus() !== 'I') throw error
    return [await client.query(text, values)]
  }
}

/** Waits for the lock without a time limit, since a long migration may hold it, and gives it back with its session. */
export async function withAdvisoryLock<Result>(
  settings: PostgresSettings,
  lock: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await openClient({ ...settings, statementTimeoutMs: 0 })
  try {
    await client.query('select pg_advisory_lock($1)', [lock])
    return await work()
  } finally {
    await endClient(client)
  }
}
