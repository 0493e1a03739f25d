import { sql } from 'kysely'
import type { Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'

/** Has the query run in the background when it is its organization's turn; a run that is waiting already serves. */
export async function requestRun(tx: Tx, organizationId: string, queryId: string): Promise<void> {
  await sql`
    update reporting_queries set run_requested_at = clock_timestamp()
    where organization_id = ${organizationId}::bigint and id = ${queryId}::bigint`.execute(tx)
  await queueRun(tx, organizationId, queryId)
}

/** Wakes the workers for a run that was requested. */
export async function queueRun(tx: Tx, organizationId: string, queryId: string): Promise<void> {
  await queueJob(
    tx,
    'run-reporting-query',
    { organizationId, queryId },
    { singletonKey: `${organizationId}/${queryId}` },
  )
}
