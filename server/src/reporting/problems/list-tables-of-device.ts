import type { DeviceTable } from '@muster/contract/reporting-tables.ts'
import type { Reader } from '../../base/db/transact.ts'
import type { ListPage } from '../../base/lists/list-page.ts'
import { findDeviceType } from '../../inventory/devices/queries.ts'
import { inventoryQueries } from '../catalogue/catalogue.ts'
import { platformOf } from '../schedule-inventory.ts'
import { listSnapshots } from '../snapshot-queries.ts'
import { listProblems } from './problem-queries.ts'

/** A page of the tables that a device is asked for, by name; none for a device that is not there or runs no osquery. */
export async function listTablesOfDevice(
  reader: Reader,
  { organizationId, params: { deviceId }, after = '', limit }: ListPage<{ readonly deviceId: string }>,
): Promise<DeviceTable[]> {
  const platform = platformOf((await findDeviceType(reader, organizationId, deviceId)) ?? '')
  if (!platform) return []
  const names = [...inventoryQueries[platform].keys()].filter((name) => name > after).slice(0, limit)
  const snapshots = await listSnapshots(reader, organizationId, deviceId, names)
  const problems = await listProblems(reader, organizationId, deviceId)
  const takenAt = new Map(snapshots.map((row) => [row.reporting_table, row.taken_at]))
  const problemOf = new Map(problems.map(({ reporting_table: name, ...problem }) => [name, problem]))
  return names.map((name) => ({ name, taken_at: takenAt.get(name) ?? null, problem: problemOf.get(name) ?? null }))
}
