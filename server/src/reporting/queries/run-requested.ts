import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../../base/db/connect.ts'
import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { runQuery } from './run-query.ts'

/** How many runs one process has under way, each of another organization. */
export const runsAtOnce = { postgres: 2, pglite: 1 } as const

/** Longer than any run; a process that dies holds its turn as long. */
const turnMs = 120_000

type Turn = { organizationId: string; queryId: string; requestedAt: string }

/**
 * Runs what was asked for until nothing waits that may run. Each time it is the turn of the organization whose latest
 * run began longest ago, so that many slow queries of one do not hold up the others.
 */
export async function runRequested(connection: Connection, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let turn = await takeTurn(connection.db); turn; turn = await takeTurn(connection.db)) {
    let isDone = false
    try {
      const outcome = await runQuery(connection, turn, clock)
      isDone = outcome !== 'running'
    } finally {
      await endTurn(connection.db, turn, isDone)
    }
    if (!isDone || signal.aborted) return
  }
}

async function takeTurn(db: Db): Promise<Turn | undefined> {
  return transact(db, async (tx) => {
    await oneAtATime(tx)
    const { rows } = await sql<Turn>`
      update reporting_queries as query set run_claimed_at = clock_timestamp(),
        run_claimed_until = clock_timestamp() + ${turnMs} * interval '1 millisecond'
      from (
        select waiting.organization_id, waiting.id from reporting_queries as waiting
        cross join lateral (
          select max(own.run_claimed_at) as latest, max(own.run_claimed_until) as until from reporting_queries as own
          where own.organization_id = waiting.organization_id
        ) as turns
        where waiting.run_requested_at is not null and (turns.until is null or turns.until < clock_timestamp())
        order by turns.latest nulls first, waiting.run_requested_at, waiting.id limit 1
      ) as next
      where query.organization_id = next.organization_id and query.id = next.id
      returning query.organization_id as "organizationId", query.id as "queryId",
        query.run_requested_at::text as "requestedAt"`.execute(tx)
    return rows[0]
  })
}

/** Two that look at the same moment would both find the organization free. */
async function oneAtATime(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('turns of reporting queries', 0))`.execute(tx)
}

/** A run that was requested in the meantime stays; one without a result goes behind the others of its organization. */
async function endTurn(db: Db, { organizationId, queryId, requestedAt }: Turn, isDone: boolean): Promise<void> {
  const left = isDone
    ? sql`case when run_requested_at > ${requestedAt}::timestamptz then run_requested_at end`
    : sql`clock_timestamp()`
  await sql`
    update reporting_queries set run_claimed_until = null, run_requested_at = ${left}
    where organization_id = ${organizationId}::bigint and id = ${queryId}::bigint`.execute(db)
}
