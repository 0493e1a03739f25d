import { sql } from 'kysely'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Reader } from '../base/db/transact.ts'

/** What is stored of these tables of a device. */
export const listSnapshots = (
  reader: Reader,
  organizationId: string,
  deviceId: string,
  tableNames: readonly string[],
) =>
  reader
    .selectFrom('device_snapshots')
    .select(['reporting_table', 'digest', 'is_scheduled', 'taken_at'])
    .where(inOrganization('device_snapshots', organizationId))
    .where('device_id', '=', deviceId)
    .where('reporting_table', '=', sql<string>`any(${tableNames}::text[])`)
    .execute()

export type StoredSnapshot = Awaited<ReturnType<typeof listSnapshots>>[number]
