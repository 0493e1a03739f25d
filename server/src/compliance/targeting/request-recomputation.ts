import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { takeConfigurations } from '../standing/hold-configurations.ts'

export type RecomputationScope = 'open_issues' | 'all_devices'

type Request = { organizationId: string; checkId: string; scope: RecomputationScope; now: string }

/**
 * Has every device that a change of configuration touches decided again in the background: those with open issues of
 * the check, or all of them. A request that comes while one runs starts it over, with the wider scope of the two.
 */
export async function requestRecomputation(tx: Tx, { organizationId, checkId, scope, now }: Request): Promise<void> {
  await sql`
    insert into check_recomputations as running (organization_id, check_id, scope, requested_at)
    values (${organizationId}::bigint, ${checkId}::bigint, ${scope}, ${now}::timestamptz)
    on conflict (organization_id, check_id) do update set
      scope = case when running.finished_at is null and running.scope = 'all_devices' then running.scope else excluded.scope end,
      requested_at = excluded.requested_at, last_device_id = 0, settled_devices = 0, finished_at = null
  `.execute(tx)
  // What opens under the old configuration commits first, so that the recomputation sees it.
  await takeConfigurations(tx, organizationId)
  await queueJob(tx, 'recompute-check', { organizationId, checkId }, { singletonKey: `${organizationId}/${checkId}` })
}

/** Ends the recomputation of a check that is deleted; one that is under way stops at its next batch. */
export async function cancelRecomputation(tx: Tx, organizationId: string, checkId: string): Promise<void> {
  await tx
    .deleteFrom('check_recomputations')
    .where(inOrganization('check_recomputations', organizationId))
    .where('check_id', '=', checkId)
    .execute()
}
