import { hash } from 'node:crypto'
import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import { liveTables } from '../live/live-tables.ts'
import type { InventoryTable, ReportingTable } from '../reporting-table.ts'
import { accountTables } from './account-tables.ts'
import { browserTables } from './browser-tables.ts'
import { hardwareTables } from './hardware-tables.ts'
import { networkTables } from './network-tables.ts'
import { softwareTables } from './software-tables.ts'
import { systemTables } from './system-tables.ts'

const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1)

export const inventoryTables: readonly InventoryTable[] = [
  ...accountTables,
  ...browserTables,
  ...hardwareTables,
  ...networkTables,
  ...softwareTables,
  ...systemTables,
].sort(byName)

/** Every table, by name. */
export const reportingTables: readonly ReportingTable[] = [...inventoryTables, ...liveTables].sort(byName)

const tablesByName = new Map(reportingTables.map((table) => [table.name, table]))

export const findReportingTable = (name: string): ReportingTable | undefined => tablesByName.get(name)

/** What an agent is asked for one table. */
export type InventoryQuery = { table: InventoryTable; version: string; sql: string }

const queriesOf = (platform: OsqueryPlatform): ReadonlyMap<string, InventoryQuery> =>
  new Map(
    inventoryTables.flatMap((table) => {
      const sql = table.queries[platform]
      return sql === undefined ? [] : [[table.name, { table, sql, version: hash('sha256', sql).slice(0, 12) }]]
    }),
  )

/** By table; the version changes with the text of the query. */
export const inventoryQueries: Readonly<Record<OsqueryPlatform, ReadonlyMap<string, InventoryQuery>>> = {
  darwin: queriesOf('darwin'),
  linux: queriesOf('linux'),
  windows: queriesOf('windows'),
}
