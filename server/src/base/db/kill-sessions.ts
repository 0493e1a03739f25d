import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { backendOf } from './settle-session.ts'

type Killable = { kill(): Promise<boolean>; isEnded(): boolean }

const lookEveryMs = 50
/** How long the server is given to end a session, which it does where the session looks for interrupts. */
const endsWithinMs = 3_000

/** The sessions of a pool as what another pool of the same user can end, by their name in case a number is used again. */
export function killableSessions(pool: pg.Pool, other: pg.Pool, name: string): Killable {
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client))
  let isEnded = false

  async function areGone(processes: readonly number[]): Promise<boolean> {
    const { rows } = await other.query(
      'select 1 from pg_stat_activity where pid = any($1::int[]) and application_name = $2',
      [processes, name],
    )
    return rows.length === 0
  }

  async function terminate(processes: readonly number[]): Promise<boolean> {
    await other.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = any($1::int[]) and application_name = $2',
      [processes, name],
    )
    for (let waitedMs = 0; waitedMs < endsWithinMs; waitedMs += lookEveryMs) {
      if (await areGone(processes)) return true
      await pause(lookEveryMs)
    }
    return areGone(processes)
  }

  return {
    async kill() {
      isEnded = true
      const open = [...clients]
      const isGone = await terminate(open.flatMap((client) => backendOf(client) ?? [])).catch(() => false)
      // A client that waits for an answer closes its socket at once.
      for (const client of open) void (client as unknown as pg.Client).end().catch(() => {})
      return isGone
    },
    isEnded: () => isEnded,
  }
}
