import { sql } from 'kysely'
import type { Reader } from '../../base/db/transact.ts'

type Asked = { organizationId: string; deviceId: string; checkIds: readonly string[] }

/**
 * Those of the checks that run on a device and do not pass there, by name. One that has not run yet, errored or brought no
 * known result does not pass; one that does not run there, or was exempted, is not asked for.
 */
export async function listUnmetChecks(
  reader: Reader,
  { organizationId, deviceId, checkIds }: Asked,
): Promise<string[]> {
  if (checkIds.length === 0) return []
  const rows = await reader
    .selectFrom('check_results as result')
    .innerJoin('checks', (join) =>
      join.onRef('checks.organization_id', '=', 'result.organization_id').onRef('checks.id', '=', 'result.check_id'),
    )
    .select('checks.name')
    .where('result.organization_id', '=', organizationId)
    .where('result.device_id', '=', deviceId)
    .where('result.check_id', '=', sql<string>`any(${checkIds}::bigint[])`)
    .where('result.status', 'not in', ['passing', 'out_of_scope'])
    .where('checks.deletion_requested_at', 'is', null)
    .orderBy('checks.name', (order) => order.collate('C'))
    .execute()
  return rows.map(({ name }) => name)
}
