import type { DeviceInventory } from '@muster/contract/console-devices.ts'
import { inOrganization } from '../../base/db/in-organization.ts'
import type { Reader } from '../../base/db/transact.ts'

/** The rows of each table that a device has reported. A snapshot has some hundred rows, and an index has them together. */
export const countInventory = (
  reader: Reader,
  organizationId: string,
  deviceId: string,
): Promise<DeviceInventory['tables']> =>
  reader
    .selectFrom('device_snapshot_rows')
    .select('reporting_table as name')
    .select(({ cast, fn }) => cast<number>(fn.countAll(), 'integer').as('row_count'))
    .where(inOrganization('device_snapshot_rows', organizationId))
    .where('device_id', '=', deviceId)
    .groupBy('reporting_table')
    .orderBy('reporting_table', (order) => order.collate('C'))
    .execute()
