import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../base/db/transact.ts'

export type Heartbeat = {
  /** Call when a round of background work has succeeded; writes at most every five seconds. */
  beat(): Promise<void>
  /** A process that stops in order is not missed. */
  stop(): Promise<void>
}

const writeEveryMs = 5_000
/** Longer than a worker that is only slow stays silent. */
const silentSeconds = 30
const forgottenAfterDays = 1

/**
 * The heartbeat of this worker process. The database's clock tells all times, so that processes whose clocks differ
 * agree on who is alive; rows of processes that died are removed after a day.
 */
export function startHeartbeat(db: Db, monotonicMs: () => number = () => performance.now()): Heartbeat {
  const workerId = randomUUID()
  let writtenAtMs = Number.NEGATIVE_INFINITY
  return {
    async beat() {
      if (monotonicMs() - writtenAtMs < writeEveryMs) return
      const isFirst = writtenAtMs === Number.NEGATIVE_INFINITY
      await sql`
        insert into worker_heartbeats (worker_id, started_at, beat_at)
        values (${workerId}, clock_timestamp(), clock_timestamp())
        on conflict (worker_id) do update set beat_at = excluded.beat_at`.execute(db)
      writtenAtMs = monotonicMs()
      if (isFirst) await removeDead(db)
    },
    async stop() {
      await db.deleteFrom('worker_heartbeats').where('worker_id', '=', workerId).execute()
    },
  }
}

const removeDead = (db: Db) =>
  sql`delete from worker_heartbeats
    where beat_at < clock_timestamp() - make_interval(days => ${sql.lit(forgottenAfterDays)})`.execute(db)

export type BackgroundStatus = {
  /** Processes seen within the last 30 seconds. */
  workers: number
  /** Seconds since the last heartbeat of any worker; null when there has been none for a day or none at all. */
  silentForSeconds: number | null
}

/** Whether anything works in the background of this deployment, as the database knows it. */
export async function readBackgroundStatus(db: Db): Promise<BackgroundStatus> {
  const { rows } = await sql<BackgroundStatus>`
    select
      (count(*) filter (where beat_at > clock_timestamp() - make_interval(secs => ${sql.lit(silentSeconds)})))::integer
        as workers,
      extract(epoch from clock_timestamp() - max(beat_at))::float8 as "silentForSeconds"
    from worker_heartbeats`.execute(db)
  return rows[0] ?? { workers: 0, silentForSeconds: null }
}

/** What is wrong with the background, as a sentence for operators; undefined when a worker is alive. */
export function describeSilence({ workers, silentForSeconds }: BackgroundStatus): string | undefined {
  if (workers > 0) return undefined
  const since = silentForSeconds === null ? 'No worker is running.' : `No worker for ${Math.round(silentForSeconds)} s.`
  return `${since} Start \`muster worker\`, or \`muster serve\` without --no-worker.`
}
