import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { type NamedStatements, namedStatements } from './named-statements.ts'
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

/** The pool as Kysely wants it, with values encoded our way and repeating texts named. */
export function kyselyPool(pool: pg.Pool): PostgresPool {
  const names = namedStatements()
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: {},
    async connect() {
      const client = await pool.connect()
      const known = wrapped.get(client)
      if (known) return known
      const made = wrapClient(client, names)
      wrapped.set(client, made)
      return made
    },
    end: () => pool.end(),
  }
}

const stalePlan = 'cached plan must not change result type'

function wrapClient(client: pg.PoolClient, names: NamedStatements): PostgresPoolClient {
  async function query(text: string, parameters: readonly unknown[]) {
    const values = parameters.map(encodeValue)
    const name = values.length > 0 ? names.nameOf(text) : undefined
    if (name === undefined) return lastResult(await client.query(text, values))
    try {
      return await client.query({ name, text, values })
    } catch (error) {
      if (error instanceof Error && error.message.includes(stalePlan)) names.retire(text)
      throw error
    }
  }
  // Kysely's type also describes cursors, which nobody here gives it.
  return { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PostgresPoolClient
}

/** A script of several statements answers with one result each. */
function lastResult(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult | undefined {
  return Array.isArray(result) ? result.at(-1) : result
}
