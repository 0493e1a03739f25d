import { valueText } from '../../base/value-text.ts'
import type { TableColumn, TableRecord } from '../reporting-table.ts'

/** A row by the names of its table's columns. */
type LiveRow = Readonly<Record<string, unknown>>

/** Rows as the records of a table: every column as text, blank where there is nothing. */
export const recordsOf = <Row extends LiveRow>(
  columns: readonly TableColumn[],
  rows: readonly Row[],
  idOf: (row: Row) => string,
): TableRecord[] =>
  rows.map((row) => ({
    id: idOf(row),
    columns: Object.fromEntries(columns.map(({ name }) => [name, valueText(row[name])])),
  }))
