import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'

/**
 * Drops what is stored of a removed check on devices that `retarget` has released from it: results of deleted devices,
 * which it leaves, and the times at which the check ran.
 */
export async function dropResultsOfCheck(
  tx: Tx,
  { organizationId, checkId }: { organizationId: string; checkId: string },
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('check_results')
    .where(inOrganization('check_results', organizationId))
    .where('check_id', '=', checkId)
    .where('device_id', '=', sql<string>`any(${deviceIds}::bigint[])`)
    .execute()
  await sql`
    update device_check_runs set (check_ids, ran_at) = (
      select coalesce(array_agg(pair.check_id), '{}'), coalesce(array_agg(pair.ran_at), '{}')
      from unnest(device_check_runs.check_ids, device_check_runs.ran_at) as pair (check_id, ran_at)
      where pair.check_id <> ${checkId}::bigint
    )
    where ${inOrganization('device_check_runs', organizationId)} and device_id = any(${deviceIds}::bigint[])
      and check_ids @> array[${checkId}::bigint]
  `.execute(tx)
}
