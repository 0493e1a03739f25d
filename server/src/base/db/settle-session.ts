import type pg from 'pg'

export type SessionSettings = { applicationName?: string; statementTimeoutMs?: number }

/** In milliseconds; 0 for no limit. */
export const statementTimeoutOf = ({ statementTimeoutMs = 30_000 }: SessionSettings): number => statementTimeoutMs

/**
 * What reading and writing values depends on (`values.ts`), and no JIT, because it costs short queries more than it
 * saves. A server, database, role or URL may say otherwise.
 */
const fixed = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  default_transaction_isolation: 'read committed',
  jit: 'off',
}
const names = Object.keys(fixed)

/**
 * The pool keeps idle sessions, and the listener waits in its own. `statement_timeout` ends waits for locks as well, and a migration,
 * which has none, may take long.
 */
const unlimited = { idle_session_timeout: '0', lock_timeout: '0', transaction_timeout: '0' }
/**
 * A session whose process hangs, or can no longer be reached, is ended with its locks, which others wait for. In milliseconds
 * and seconds; the system's own is hours. On a Unix socket the latter mean nothing.
 */
const abandoned = {
  idle_in_transaction_session_timeout: '60000',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}
/** An export is idle while its reader is slow. */
const ofCommands = { idle_in_transaction_session_timeout: '0' }

const backends = new WeakMap<object, number>()

/**
 * Sets a new connection up, by a statement: the startup packet's `options` are lost to those of a URL, and poolers
 * refuse or ignore them.
 */
export async function settleSession(client: pg.ClientBase, settings: SessionSettings): Promise<void> {
  const wanted = {
    ...fixed,
    ...unlimited,
    ...abandoned,
    ...(settings.statementTimeoutMs === 0 && ofCommands),
    application_name: settings.applicationName ?? 'muster',
    statement_timeout: String(statementTimeoutOf(settings)),
  }
  // `transaction_timeout` is there since 17, and the version of a server is judged through a session.
  const { rows } = await client.query(
    `select pg_backend_pid() as backend, (
      select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as setting(name, value)
      where current_setting(name, true) is not null)`,
    [Object.keys(wanted), Object.values(wanted)],
  )
  backends.set(client, rows[0].backend)
}

/** The server's process of a connection, also behind a pooler, which makes up numbers of its own. */
export const backendOf = (client: object): number | undefined => backends.get(client)

/** Why nothing can be read right through this connection, fit for everyone to read; undefined when all is well. */
export async function describeUnsettled(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query(
    `select pg_backend_pid() as backend, current_schema() as schema,
      array(select current_setting(name) from unnest($1::text[]) with ordinality as n(name, place) order by place) as settings`,
    [names],
  )
  const { backend, schema, settings } = rows[0] as { backend: number; schema: string | null; settings: string[] }
  if (backend !== backends.get(client)) return pooledByTransaction
  const index = Object.values(fixed).findIndex((value, at) => settings[at] !== value)
  if (index >= 0) {
    return `The database loses the setting ${names[index]} between statements. Set the pooler in front of it to session pooling.`
  }
  if (schema === 'public') return undefined
  return `Muster keeps its tables in the schema public, but search_path points to ${schema ?? 'no schema'}. Set it to public.`
}

export const pooledByTransaction =
  'The pooler in front of the database shares one session among several connections. Set it to session pooling.'
