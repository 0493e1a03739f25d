import type { Tx } from '../../db/transact.ts'
import { queueJob } from '../../jobs/queue-job.ts'

/** Has the query run in the background; a run that is waiting already serves. */
export async function requestRun(tx: Tx, organizationId: string, queryId: string): Promise<void> {
  await queueJob(
    tx,
    'run-reporting-query',
    { organizationId, queryId },
    { singletonKey: `${organizationId}/${queryId}` },
  )
}
