import { sql } from 'kysely'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Tx } from '../../base/db/transact.ts'
import type { LockedDevice } from '../../inventory/devices/lock-device.ts'
import { adjustTallies } from '../standing/adjust-tallies.ts'

/**
 * Marks results of locked devices that answer another query than the one now configured: they say nothing about it.
 * Where an upgrade changed the query, what was said stays until the device answers the new one, within the interval of the
 * check. Of all checks unless some are named.
 */
export async function markStale(tx: Tx, devices: readonly LockedDevice[], checkIds?: readonly string[]): Promise<void> {
  const [first] = devices
  if (!first) return
  const { rows } = await sql<{ check_id: string; device_id: string; status: string }>`
    with outdated as (
      select check_results.check_id, check_results.device_id, check_results.status from check_results
      join check_configurations as configuration on configuration.organization_id = check_results.organization_id
        and configuration.check_id = check_results.check_id
      where ${inOrganization('check_results', first.organization_id)}
        and check_results.device_id = any(${devices.map(({ id }) => id)}::bigint[])
        and (${checkIds ?? null}::bigint[] is null or check_results.check_id = any(${checkIds ?? null}::bigint[]))
        and check_results.query_revision <> configuration.query_revision
        and configuration.query_revision is distinct from configuration.upgraded_query_revision
        and check_results.status not in ('pending', 'stale', 'out_of_scope')
    )
    update check_results set status = 'stale' from outdated
    where ${inOrganization('check_results', first.organization_id)}
      and check_results.check_id = outdated.check_id and check_results.device_id = outdated.device_id
    returning outdated.check_id, outdated.device_id, outdated.status
  `.execute(tx)
  await adjustTallies(
    tx,
    first.organization_id,
    rows.map((row) => ({ checkId: row.check_id, deviceId: row.device_id, from: row.status, to: 'stale' })),
  )
}
