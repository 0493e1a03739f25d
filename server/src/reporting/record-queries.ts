import type { tableRecordSearch } from '@muster/contract/reporting-tables.ts'
import { inOrganization } from '../base/db/in-organization.ts'
import type { Reader } from '../base/db/transact.ts'
import type { Keyset } from '../base/lists/keyset.ts'
import type { ListPage } from '../base/lists/list-page.ts'
import { onPage } from '../base/lists/on-page.ts'
import type { SearchColumns } from '../base/lists/where-search.ts'

const searchColumns = {
  device_id: { column: 'device_snapshot_rows.device_id', type: 'bigint' },
} satisfies SearchColumns<Pick<typeof tableRecordSearch, 'device_id'>>

const byId: Keyset = { id: { column: 'device_snapshot_rows.id', type: 'bigint' }, direction: 'asc' }

export type InventoryRow = Awaited<ReturnType<typeof listInventoryRows>>[number]

/** Rows of one table that living devices have reported; `search` may speak of `device_id` only. */
export const listInventoryRows = (
  reader: Reader,
  tableName: string,
  page: Pick<ListPage, 'organizationId' | 'search' | 'after' | 'limit'>,
) =>
  reader
    .selectFrom('device_snapshot_rows')
    .innerJoin('devices', (join) =>
      join
        .onRef('devices.organization_id', '=', 'device_snapshot_rows.organization_id')
        .onRef('devices.id', '=', 'device_snapshot_rows.device_id')
        .on('devices.deleted_at', 'is', null),
    )
    .innerJoin('device_snapshots as snapshot', (join) =>
      join
        .onRef('snapshot.organization_id', '=', 'device_snapshot_rows.organization_id')
        .onRef('snapshot.device_id', '=', 'device_snapshot_rows.device_id')
        .onRef('snapshot.reporting_table', '=', 'device_snapshot_rows.reporting_table'),
    )
    .select([
      'device_snapshot_rows.id',
      'device_snapshot_rows.device_id',
      'devices.name as device_name',
      'snapshot.taken_at',
      'device_snapshot_rows.content',
    ])
    .where(inOrganization('device_snapshot_rows', page.organizationId))
    .where('device_snapshot_rows.reporting_table', '=', tableName)
    .$call(onPage(page, byId, searchColumns))
    .execute()
