import { type Db, transact } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'

/** Queues what was begun and has no job anymore: an import brings the former without the latter. */
export async function resumeWork(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    const unfinished = await tx
      .selectFrom('check_recomputations')
      .select(['organization_id as organizationId', 'check_id as checkId'])
      .where('finished_at', 'is', null)
      .execute()
    const doomed = await tx
      .selectFrom('checks')
      .select(['organization_id as organizationId', 'id as checkId'])
      .where('deletion_requested_at', 'is not', null)
      .execute()
    const work = [
      ...unfinished.map((check) => ({ job: 'recompute-check' as const, check })),
      ...doomed.map((check) => ({ job: 'remove-check' as const, check })),
    ]
    for (const { job, check } of work) {
      await queueJob(tx, job, check, { singletonKey: `${check.organizationId}/${check.checkId}` })
    }
  })
}
