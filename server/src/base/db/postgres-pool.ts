import pg from 'pg'
import type { NamedStatements } from './named-statements.ts'
import type { Sessions } from './sessions.ts'
import { encodeValue, parserOf } from './values.ts'

export type PostgresSettings = {
  url: string
  maxConnections?: number
  applicationName?: string
  statementTimeoutMs?: number
}

/** Our values instead of the driver's, for this connection only; everything is asked for as text but bytes. */
const types: pg.CustomTypesConfig = { getTypeParser: ((oid: number) => parserOf(oid)) as typeof pg.types.getTypeParser }

/** UTC and ISO dates because `instantFromText` slices them; no JIT because it costs short queries more than it saves. */
const sessionOptions = '-c TimeZone=UTC -c DateStyle=ISO -c jit=off'

export function clientSettings({ url, applicationName = 'muster' }: PostgresSettings): pg.ClientConfig {
  return { connectionString: url, application_name: applicationName, options: sessionOptions, types, keepAlive: true }
}

/** The host that a connection URL leads to, as the driver reads it; undefined for a socket file. */
export function postgresHost(url: string): string | undefined {
  const { host } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? undefined : host
}

export function openPool(settings: PostgresSettings): pg.Pool {
  const pool = new pg.Pool({
    ...clientSettings(settings),
    max: settings.maxConnections ?? 10,
    connectionTimeoutMillis: 10_000,
    statement_timeout: settings.statementTimeoutMs ?? 30_000,
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
        run: (text, parameters) => run(client, names, text, parameters.map(encodeValue)),
        release: (destroy) => client.release(destroy),
      }
    },
    end: () => pool.end(),
  }
}

const stalePlan = 'cached plan must not change result type'

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
    if (!(error instanceof Error && error.message.includes(stalePlan))) throw error
    names.retire(text)
    // Nothing has run yet, so outside a transaction once more is the same; inside, `transact` begins again.
    if (client.getTransactionStatus() !== 'I') throw error
    return [await client.query(text, values)]
  }
}

/** Waits for the lock without a time limit, since a long migration may hold it, and gives it back with its session. */
export async function withAdvisoryLock<Result>(
  settings: pg.ClientConfig,
  lock: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...settings, statement_timeout: 0 })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lock])
    return await work()
  } finally {
    await client.end().catch(() => {})
  }
}
