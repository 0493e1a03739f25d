import { type Db, type Tx, transact } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { findCause } from '../../signals/audit/queries.ts'

/** Queues what was begun and has no job anymore: an import brings the former without the latter. */
export async function resumeWork(db: Db): Promise<void> {
  await transact(db, async (tx) => {
    await resumeRecomputations(tx)
    await resumeDeletions(tx)
  })
}

const keyOf = ({ organizationId, checkId }: { organizationId: string; checkId: string }) => ({
  singletonKey: `${organizationId}/${checkId}`,
})

async function resumeRecomputations(tx: Tx): Promise<void> {
  const unfinished = await tx
    .selectFrom('check_recomputations')
    .select(['organization_id as organizationId', 'check_id as checkId', 'cause', 'request_id as requestId'])
    .where('finished_at', 'is', null)
    .execute()
  for (const { cause, ...work } of unfinished) {
    await queueJob(tx, 'recompute-check', { ...work, cause: cause ?? undefined }, keyOf(work))
  }
}

async function resumeDeletions(tx: Tx): Promise<void> {
  const doomed = await tx
    .selectFrom('checks')
    .select(['organization_id as organizationId', 'id as checkId'])
    .where('deletion_requested_at', 'is not', null)
    .execute()
  for (const check of doomed) {
    const { cause, requestId } = (await findCause(tx, check.organizationId, deletionOf(check.checkId))) ?? {}
    await queueJob(tx, 'remove-check', { ...check, cause, requestId }, keyOf(check))
  }
}

const deletionOf = (checkId: string) => ({ action: 'check.deleted', about: { check: checkId } }) as const
