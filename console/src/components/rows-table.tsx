import { type ReactNode, useMemo } from 'react'
import { columnWidthsOf } from './column-widths.ts'
import { visibleText } from './visible-text.ts'
import { type WindowedColumn, WindowedTable } from './windowed-table.tsx'

type Row = Readonly<Record<string, string>>

type Parts = {
  readonly name: string
  readonly rows: readonly Row[]
  /** A last column of another kind than text. */
  readonly last?: { readonly column: string; readonly show: (row: Row) => ReactNode }
}

const lastWidth = 140
/** Rows have no identity, and a new answer replaces them all. */
const placeOf = (_row: Row, index: number) => String(index)

/** Rows of a device, whatever their columns are. */
export function RowsTable({ name, rows, last }: Parts) {
  const widths = useMemo(() => columnWidthsOf(rows), [rows])
  const columns = widths
    .filter((column) => column.name !== last?.column)
    .map(
      ({ name: column, width }): WindowedColumn<Row> => ({
        key: column,
        head: <code>{visibleText(column)}</code>,
        title: visibleText(column),
        width,
        cell: (row) => <code>{visibleText(row[column] ?? '')}</code>,
        cellTitle: (row) => visibleText(row[column] ?? ''),
      }),
    )
  if (last) columns.push({ key: last.column, head: <code>status</code>, width: lastWidth, cell: last.show })
  return <WindowedTable name={name} columns={columns} rows={rows} keyOf={placeOf} />
}
