import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { fail, orNotFound } from '../../base/errors.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { takeConfigurations } from '../../compliance/standing/hold-configurations.ts'
import { cancelRecomputation } from '../../compliance/targeting/request-recomputation.ts'
import { queueAgentNotice } from '../../inventory/devices/queue-agent-notice.ts'
import { recordAudit } from '../../signals/audit/record-audit.ts'

type Deletion = { checkId: string }

/**
 * Takes a check that the organization wrote itself out of every answer and schedule; its issues are resolved and its
 * rows removed in the background. Fails with invalid for a check that comes with Muster.
 */
export async function deleteCustomCheck(tx: Tx, { checkId }: Deletion, context: ChangeContext): Promise<void> {
  const { organizationId, now, cause, requestId } = context
  const check = orNotFound(await lockCheck(tx, organizationId, checkId))
  if (check.is_provided) fail('invalid', { message: 'A check that comes with Muster cannot be deleted; pause it.' })
  await tx
    .updateTable('checks')
    .set({ deletion_requested_at: now })
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .execute()
  // A recomputation that runs would target devices with the check again.
  await cancelRecomputation(tx, organizationId, checkId)
  // What opens before the deletion commits first, so that the job sees it.
  await takeConfigurations(tx, organizationId)
  await queueAgentNotice(tx, organizationId, null, now)
  const job = { organizationId, checkId, cause, requestId }
  await queueJob(tx, 'remove-check', job, { singletonKey: `${organizationId}/${checkId}` })
  await recordAudit(
    tx,
    { action: 'check.deleted', about: { check: checkId }, description: `Deleted the check "${check.name}".` },
    context,
  )
}

/** Rows that refer to the check can still be written: who writes them may hold the configurations, which are waited for. */
const lockCheck = (tx: Tx, organizationId: string, checkId: string) =>
  tx
    .selectFrom('checks')
    .select(['name', 'is_provided'])
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .where('deletion_requested_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
