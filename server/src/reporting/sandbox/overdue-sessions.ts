import { sql } from 'kysely'
import type { Db } from '../../base/db/transact.ts'
import { sessionPrefix } from './in-isolation.ts'

/** A session of a reporting query that continues although it was ended. */
export type OverdueSession = { process: number; organizationId: string; queryId: string; seconds: number }

/** Longer than any query may take, with all that ends it. */
const maxSeconds = 60

/** PostgreSQL's sessions of reporting queries past every limit, of this database, the oldest first; at most ten. */
export async function listOverdueSessions(db: Db, olderThanSeconds = maxSeconds): Promise<OverdueSession[]> {
  const { rows } = await sql<{ pid: number; name: string; seconds: string }>`
    select pid, application_name as name, floor(extract(epoch from clock_timestamp() - backend_start)) as seconds
    from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${sessionPrefix})
      and backend_start < clock_timestamp() - ${olderThanSeconds} * interval '1 second'
    order by backend_start limit 10`.execute(db)
  return rows.map(({ pid, name, seconds }) => {
    const [organizationId = '', queryId = ''] = name.slice(sessionPrefix.length).split('/')
    return { process: Number(pid), organizationId, queryId, seconds: Number(seconds) }
  })
}
