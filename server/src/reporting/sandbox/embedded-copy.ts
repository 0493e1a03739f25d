import type { Connection, IsolatedConnection } from '../../base/db/connect.ts'
import { migrate } from '../../base/db/migrate.ts'
import { limitConcurrency } from '../../base/jobs/limit-concurrency.ts'
import { emptyTables, loadTables } from './load-tables.ts'
import { maxPeakBytes } from './size/ledger.ts'
import type { Mentions } from './size/size-of-query.ts'

/** How long an instance is kept for the next query of its organization. */
const idleMs = 60_000
/** Of its heap the engine itself takes so much, of 128 MB that it begins with: the rest is already a query's. */
const engineBytes = 80 * 2 ** 20

type Copy = { connection: IsolatedConnection; organizationId: string }

type Host = {
  /** One query at a time: an instance takes hundreds of megabytes. */
  oneAtATime: <T>(work: () => Promise<T>) => Promise<T>
  copy?: Copy | undefined
  idle?: NodeJS.Timeout | undefined
}

const hosts = new WeakMap<Connection, Host>()

/**
 * Runs `work` on a database in memory that holds the reporting tables of the organization and nothing else, loaded again
 * for each query. The embedded engine cannot interrupt a statement, so a second one runs the queries, which can be
 * ended as a whole; two on one folder would lose rows. It ends after a minute without a query.
 */
export async function inEmbeddedCopy<T>(
  connection: Connection,
  { organizationId, mentions }: { organizationId: string; mentions: Mentions },
  work: (copy: IsolatedConnection) => Promise<T>,
): Promise<T> {
  const host = hosts.get(connection) ?? { oneAtATime: limitConcurrency(1) }
  hosts.set(connection, host)
  return host.oneAtATime(async () => {
    clearTimeout(host.idle)
    try {
      const copy = await copyOf(host, connection, organizationId)
      await loadTables({ from: connection.db, into: copy, organizationId, mentions })
      return await work(copy)
    } finally {
      host.idle = setTimeout(() => void endCopy(host), idleMs)
      host.idle.unref()
    }
  })
}

/**
 * Ends the instance at once, whatever it computes; nothing where there is none.
 * @forTests they share a connection, and what an earlier one has left.
 */
export async function endEmbeddedCopy(connection: Connection): Promise<void> {
  const host = hosts.get(connection)
  if (host) await endCopy(host)
}

/** @forTests nothing outside shows that an instance is gone. */
export const hasEmbeddedCopy = (connection: Connection): boolean => {
  const copy = hosts.get(connection)?.copy
  return copy !== undefined && !copy.connection.isEnded()
}

/** Starting an instance takes seconds, so another organization is given the same one, emptied. */
async function copyOf(host: Host, connection: Connection, organizationId: string): Promise<IsolatedConnection> {
  const kept = host.copy
  if (kept && !kept.connection.isEnded()) {
    if (kept.organizationId !== organizationId) await emptyTables(kept.connection)
    kept.organizationId = organizationId
    return kept.connection
  }
  await endCopy(host)
  const copy = await connection.openIsolated('reports', engineBytes + maxPeakBytes)
  try {
    await migrate(copy)
    await copy.executeScript(withoutForeignKeys)
  } catch (error) {
    await copy.kill()
    throw error
  }
  host.copy = { connection: copy, organizationId }
  return copy
}

async function endCopy(host: Host): Promise<void> {
  clearTimeout(host.idle)
  const { copy } = host
  host.copy = undefined
  await copy?.connection.kill()
}

/** Only some tables are loaded, and each is emptied on its own; triggers would write more. */
const withoutForeignKeys = `
  do $$
  declare foreign_key record;
  begin
    for foreign_key in select conrelid::regclass as owner, conname from pg_constraint where contype = 'f' loop
      execute format('alter table %s drop constraint %I', foreign_key.owner, foreign_key.conname);
    end loop;
  end
  $$;
  set session_replication_role = replica`
