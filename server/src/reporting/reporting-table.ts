import type { OsqueryPlatform } from '@muster/contract/osquery-schema.ts'
import type { ReportingSearchField } from '@muster/contract/reporting-tables.ts'
import type { Reader } from '../base/db/transact.ts'
import type { ListPage } from '../base/lists/list-page.ts'

/**
 * In SQL, `integer` columns are bigint, null where a device sent no whole number, and `time` ones timestamptz; on the
 * wire all columns are text.
 */
export type TableColumn = {
  readonly name: string
  readonly type: 'text' | 'integer' | 'time'
  readonly description: string
}

type Described = {
  readonly name: string
  readonly category: string
  readonly description: string
  readonly columns: readonly TableColumn[]
  /** What the table tells about people; absent where it tells nothing. */
  readonly aboutPeople?: string
}

/** What scheduled queries collect from devices; its view in SQL also has the columns of `deviceColumns`. */
export type InventoryTable = Described & {
  readonly kind: 'inventory'
  readonly intervalSeconds: number
  readonly queries: Readonly<Partial<Record<OsqueryPlatform, string>>>
}

/** What the database knows anyway, such as the results of checks. */
export type ViewTable = Described & {
  readonly kind: 'view'
  readonly searchField: ReportingSearchField
  /** At most `limit` records beyond `after` in the order of their `id`, which is unique in the organization. */
  readonly list: (reader: Reader, page: ListPage) => Promise<TableRecord[]>
}

export type ReportingTable = InventoryTable | ViewTable

/** Every column of the table as text. */
export type TableRecord = { readonly id: string; readonly columns: Readonly<Record<string, string>> }

/** The first columns of every inventory table. */
const deviceColumns: readonly TableColumn[] = [
  { name: 'device_id', type: 'integer', description: 'The device.' },
  { name: 'device_name', type: 'text', description: 'Name of the device.' },
  { name: 'taken_at', type: 'time', description: 'When the device last reported this table.' },
]

/** The columns of a table as its readers see them. */
export const columnsOf = (table: ReportingTable): readonly TableColumn[] =>
  table.kind === 'inventory' ? [...deviceColumns, ...table.columns] : table.columns

export const searchFieldOf = (table: ReportingTable): ReportingSearchField =>
  table.kind === 'inventory' ? 'device_id' : table.searchField

/** Columns by name, each with its description. */
export const columnList = (
  texts: Readonly<Record<string, string>>,
  integers: readonly string[] = [],
): readonly TableColumn[] =>
  Object.entries(texts).map(([name, description]) => ({
    name,
    type: integers.includes(name) ? 'integer' : 'text',
    description,
  }))

/**
 * osquery starts a query when its clock is a multiple of the interval, and a laptop that sleeps at that second misses
 * it: so nothing is daily.
 */
export const hourly = 3_600
export const everyFourHours = 4 * hourly
