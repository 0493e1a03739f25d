import { sql } from 'kysely'
import type { ChangeContext } from '../../base/change-context.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import { queueJob } from '../../base/jobs/queue-job.ts'
import { takeConfigurations } from '../standing/hold-configurations.ts'
import { holdAhead } from './hold-ahead.ts'

export type RecomputationScope = 'open_issues' | 'all_devices'

type Request = {
  checkId: string
  scope: RecomputationScope
  /** Whether the check told owners of issues before the change; left out where that is not what changes. */
  toldBefore?: boolean
}

/**
 * Has every device that a change of configuration touches decided again in the background: those with open issues of
 * the check, or all of them. A request that comes while one runs starts it over, with the wider scope of the two, and with the
 * causes of both. Where the change blocks too many without notice, the hold begins here.
 */
export async function requestRecomputation(
  tx: Tx,
  { checkId, scope, toldBefore }: Request,
  context: ChangeContext,
): Promise<void> {
  const { organizationId, now, cause, requestId } = context
  // What opens under the old configuration commits first, so that the recomputation sees it.
  await takeConfigurations(tx, organizationId)
  await sql`
    insert into check_recomputations as running (organization_id, check_id, scope, requested_at, told_before, cause, request_id)
    values (${organizationId}::bigint, ${checkId}::bigint, ${scope}, ${now}::timestamptz, ${toldBefore ?? null}::boolean,
      ${cause}, ${requestId})
    on conflict (organization_id, check_id) do update set
      scope = case when running.finished_at is null and running.scope = 'all_devices' then running.scope else excluded.scope end,
      -- Of the configuration that devices were last decided by.
      told_before = case when running.finished_at is null then coalesce(running.told_before, excluded.told_before) else excluded.told_before end,
      earlier_causes = ${earlierCauses}, cause = excluded.cause, request_id = excluded.request_id,
      requested_at = excluded.requested_at, last_device_id = 0, settled_devices = 0, finished_at = null
  `.execute(tx)
  await holdAhead(tx, { organizationId, checkId }, context)
  const job = { organizationId, checkId, cause, requestId }
  await queueJob(tx, 'recompute-check', job, { singletonKey: `${organizationId}/${checkId}` })
}

/** Of changes that come faster than devices are decided; older ones are in the history of the check. */
const maxEarlierCauses = 20

/** The changes that were not worked through yet: the latest of them, the oldest first. */
const earlierCauses = sql`case
  when running.finished_at is not null then '{}'
  when running.cause is null or running.cause = excluded.cause then running.earlier_causes
  else (running.earlier_causes || running.cause)[
    greatest(1, cardinality(running.earlier_causes) + 2 - ${sql.lit(maxEarlierCauses)}):]
end`

/** Ends the recomputation of a check that is deleted; one that is under way stops at its next batch. */
export async function cancelRecomputation(tx: Tx, organizationId: string, checkId: string): Promise<void> {
  await tx
    .deleteFrom('check_recomputations')
    .where(inOrganization('check_recomputations', organizationId))
    .where('check_id', '=', checkId)
    .execute()
}
