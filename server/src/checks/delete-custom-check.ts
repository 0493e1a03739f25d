import { type Actor, recordAudit } from '../audit/record-audit.ts'
import { inOrganization } from '../db/in-organization.ts'
import type { Tx } from '../db/transact.ts'
import { queueAgentNotice } from '../devices/queue-agent-notice.ts'
import { fail, orNotFound } from '../errors.ts'
import { queueJob } from '../jobs/queue-job.ts'
import { takeConfigurations } from './hold-configurations.ts'

type Deletion = { organizationId: string; checkId: string; actor: Actor; now: string }

/**
 * Takes a check that the organization wrote itself out of every answer and schedule; its issues are resolved and its
 * rows removed in the background. Fails with invalid for a check that comes with Muster.
 */
export async function deleteCustomCheck(tx: Tx, { organizationId, checkId, actor, now }: Deletion): Promise<void> {
  const check = orNotFound(await lockCheck(tx, organizationId, checkId))
  if (check.is_provided) fail('invalid', { message: 'A check that comes with Muster cannot be deleted; pause it.' })
  await tx
    .updateTable('checks')
    .set({ deletion_requested_at: now })
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .execute()
  // A recomputation that runs would target devices with the check again.
  await tx
    .deleteFrom('check_recomputations')
    .where(inOrganization('check_recomputations', organizationId))
    .where('check_id', '=', checkId)
    .execute()
  // What opens before the deletion commits first, so that the job sees it.
  await takeConfigurations(tx, organizationId)
  await queueAgentNotice(tx, organizationId, null, now)
  await queueJob(tx, 'remove-check', { organizationId, checkId }, { singletonKey: `${organizationId}/${checkId}` })
  await recordAudit(tx, {
    organizationId,
    actor,
    about: { check: checkId },
    description: `Deleted the check "${check.name}".`,
    now,
  })
}

const lockCheck = (tx: Tx, organizationId: string, checkId: string) =>
  tx
    .selectFrom('checks')
    .select(['name', 'is_provided'])
    .where(inOrganization('checks', organizationId))
    .where('id', '=', checkId)
    .where('deletion_requested_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
