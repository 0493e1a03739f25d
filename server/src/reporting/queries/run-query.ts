import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Connection } from '../../base/db/connect.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import { type Tx, transact } from '../../base/db/transact.ts'
import { QueryRefused } from '../sandbox/query-refused.ts'
import { runInSandbox } from '../sandbox/run-in-sandbox.ts'
import { type RunOutcome, storeRun } from './store-run.ts'
import { tableNames } from './table-names.ts'

type QueryOfOrganization = { organizationId: string; queryId: string }

/**
 * Runs the query and keeps its rows in place of those before, all at once. `gone`: it was deleted; `running`: another
 * process is at it; `edited`: its SQL changed meanwhile, and it will run again.
 */
export async function runQuery(
  connection: Connection,
  { organizationId, queryId }: QueryOfOrganization,
  clock: Clock,
): Promise<'stored' | 'failed' | 'gone' | 'running' | 'edited'> {
  const { db } = connection
  const query = await db
    .selectFrom('reporting_queries')
    .select(['sql', 'revision'])
    .where(inOrganization('reporting_queries', organizationId))
    .where('id', '=', queryId)
    .executeTakeFirst()
  if (!query) return 'gone'
  const startedAt = clock()
  const mayRun = (tx: Tx) => takeTurn(tx, organizationId, queryId)
  const outcome: RunOutcome | undefined = await runInSandbox(connection, {
    organizationId,
    queryId,
    sql: query.sql,
    tables: tableNames,
    mayRun,
  }).catch((error: unknown) => {
    if (error instanceof QueryRefused) return error
    throw error
  })
  if (outcome === undefined) return 'running'
  const run = { organizationId, queryId, revision: query.revision, outcome, startedAt }
  return transact(db, (tx) => storeRun(tx, run))
}

/** Held until the transaction that reads is over, however it ends, so that no query runs twice at once. */
async function takeTurn(tx: Tx, organizationId: string, queryId: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`reporting query ${organizationId}/${queryId}`}, 0)) as taken`.execute(
    tx,
  )
  return rows[0]?.taken === true
}
