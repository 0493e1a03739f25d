import { type Db, transact } from '../db/transact.ts'
import { queueJob } from '../jobs/queue-job.ts'

/** Queues what was begun and has no job any more: an import brings the former without the latter. */
export async function resumeRecomputations(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const unfinished = await tx
      .selectFrom('check_recomputations')
      .select(['organization_id as organizationId', 'check_id as checkId'])
      .where('finished_at', 'is', null)
      .execute()
    for (const check of unfinished) {
      await queueJob(tx, 'recompute-check', check, { singletonKey: `${check.organizationId}/${check.checkId}` })
    }
  })
}
