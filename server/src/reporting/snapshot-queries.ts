import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Reader } from '../base/db/transact.ts'

/** What is stored of these tables of a device, and whether a table that was reported before has had a problem since. */
export const listSnapshots = (
  reader: Reader,
  organizationId: string,
  deviceId: string,
  tableNames: readonly string[],
) =>
  reader
    .selectFrom('device_snapshots')
    .leftJoin('device_table_problems as problem', (join) =>
      join
        .onRef('problem.organization_id', '=', 'device_snapshots.organization_id')
        .onRef('problem.device_id', '=', 'device_snapshots.device_id')
        .onRef('problem.reporting_table', '=', 'device_snapshots.reporting_table'),
    )
    .select([
      'device_snapshots.reporting_table',
      'device_snapshots.digest',
      'device_snapshots.is_scheduled',
      'device_snapshots.taken_at',
      sql<boolean>`problem.type is not null`.as('has_problem'),
    ])
    .where(inOrganization('device_snapshots', organizationId))
    .where('device_snapshots.device_id', '=', deviceId)
    .where('device_snapshots.reporting_table', '=', sql<string>`any(${tableNames}::text[])`)
    .execute()

export type StoredSnapshot = Awaited<ReturnType<typeof listSnapshots>>[number]
