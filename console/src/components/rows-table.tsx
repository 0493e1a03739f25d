import type { ReactNode } from 'react'
import { Scroller } from './scroller.tsx'
import { visibleText } from './visible-text.ts'

type Row = Readonly<Record<string, string>>

type Parts = {
  readonly name: string
  readonly rows: readonly Row[]
  /** A last column of another kind than text. */
  readonly last?: { readonly column: string; readonly show: (row: Row) => ReactNode }
}

/** Rows of a device, whatever their columns are. */
export function RowsTable({ name, rows, last }: Parts) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((column) => column !== last?.column)
  return (
    <Scroller name={name}>
      <table className="t c">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>
                <code>{visibleText(column)}</code>
              </th>
            ))}
            {last && (
              <th>
                <code>status</code>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and a new answer replaces them all
            <tr key={index}>
              {columns.map((column) => (
                <td key={column} title={visibleText(row[column] ?? '')}>
                  <code>{visibleText(row[column] ?? '')}</code>
                </td>
              ))}
              {last && <td>{last.show(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}
