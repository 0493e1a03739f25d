import type { ReportingTable as Presented, TableRecord as PresentedRecord } from '@muster/contract/reporting-tables.ts'
import type { Links } from '../base/links.ts'
import type { InventoryRow } from './record-queries.ts'
import {
  columnsOf,
  type InventoryTable,
  type ReportingTable,
  searchFieldOf,
  type TableRecord,
} from './reporting-table.ts'

/** Where `/docs/reporting` describes a table. */
export const documentationPath = '/docs/reporting'

export const presentReportingTable = (table: ReportingTable, links: Links): Presented => ({
  name: table.name,
  category: table.category,
  description: table.description,
  column_names: columnsOf(table).map(({ name }) => name),
  searchable_fields: [searchFieldOf(table)],
  documentation_url: links.url(`${documentationPath}#${table.name}`),
})

export const presentTableRecord = ({ id, columns }: TableRecord): PresentedRecord => ({ ...columns, id })

/** A stored row with the table's columns as they are now: one that it lacks is blank. */
export const presentInventoryRow = (table: InventoryTable, row: InventoryRow): TableRecord => ({
  id: row.id,
  columns: {
    device_id: row.device_id,
    device_name: row.device_name,
    taken_at: row.taken_at,
    ...Object.fromEntries(table.columns.map(({ name }) => [name, row.content[name] ?? ''])),
  },
})
