import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const everyMs = 100

/**
 * Looks again and again how many sessions a database has besides this one, and how many of them are at work. Undefined
 * where it is embedded.
 */
export async function watchConnections(databaseUrl: string | undefined) {
  if (databaseUrl === undefined) return undefined
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const ending = new AbortController()
  const most = { open: 0, busy: 0 }

  async function look(): Promise<void> {
    while (!ending.signal.aborted) {
      const { rows } = await client.query(`
        select count(*)::int as open, (count(*) filter (where state <> 'idle'))::int as busy from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`)
      most.open = Math.max(most.open, rows[0].open)
      most.busy = Math.max(most.busy, rows[0].busy)
      await pause(everyMs, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  const looking = look()
  return {
    async stop(): Promise<{ open: number; busy: number }> {
      ending.abort()
      await looking
      await client.end()
      return most
    },
  }
}
