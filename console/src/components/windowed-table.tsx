import { type FocusEvent, type ReactNode, useState } from 'react'
import { drawnRows } from './drawn-rows.ts'
import { Scroller } from './scroller.tsx'
import './windowed-table.css'
import { useRowsInSight } from './use-rows-in-sight.ts'

export type WindowedColumn<Row> = {
  readonly key: string
  readonly head: ReactNode
  /** In full, where it may be cut off. */
  readonly title?: string
  /** In pixels; more where the table has room. */
  readonly width: number
  readonly cell: (row: Row) => ReactNode
  readonly cellTitle?: (row: Row) => string
}

type Parts<Row> = {
  readonly name: string
  readonly columns: readonly WindowedColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row, index: number) => string
}

const rowHeight = 36

/** A table of rows of one height, of which only those in sight are drawn where they are many. */
export function WindowedTable<Row>({ name, columns, rows, keyOf }: Parts<Row>) {
  const { body, first, last } = useRowsInSight<HTMLTableSectionElement>(rows.length, rowHeight)
  const [focused, setFocused] = useState<number>()
  // A row that went out of sight with the focus in it would take the focus along.
  const follow = ({ target }: FocusEvent) => {
    const place = Number(target.closest('tr')?.getAttribute('aria-rowindex'))
    setFocused(place > 1 ? place - 2 : undefined)
  }
  const width = columns.reduce((sum, column) => sum + column.width, 0)
  return (
    <Scroller name={name}>
      <table className="table compact windowed" aria-rowcount={rows.length + 1} style={{ minWidth: width }}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ key, head, title }) => (
              <th key={key} title={title}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onFocus={follow} onBlur={() => setFocused(undefined)}>
          {drawnRows(rows.length, first, last, focused).flatMap((drawn) =>
            'gap' in drawn
              ? [<Gap key={`gap ${drawn.from}`} rows={drawn.gap} columns={columns.length} />]
              : rows.slice(drawn.from, drawn.to).map((row, index) => (
                  <tr key={keyOf(row, drawn.from + index)} aria-rowindex={drawn.from + index + 2}>
                    {columns.map(({ key, cell, cellTitle }) => (
                      <td key={key} title={cellTitle?.(row)}>
                        {cell(row)}
                      </td>
                    ))}
                  </tr>
                )),
          )}
        </tbody>
      </table>
    </Scroller>
  )
}

/** In the place of rows out of sight. */
const Gap = ({ rows, columns }: { readonly rows: number; readonly columns: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row of a table takes no focus
  <tr aria-hidden="true">
    <td className="gap" colSpan={columns} style={{ height: rows * rowHeight }} />
  </tr>
)
