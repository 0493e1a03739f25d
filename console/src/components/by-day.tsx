import { Fragment, type ReactNode } from 'react'
import { fullTime } from './times.ts'

type Parts<Row> = {
  readonly rows: readonly Row[]
  readonly timeOf: (row: Row) => string
  readonly columns: number
  readonly children: (row: Row) => ReactNode
}

/** The rows of a log, newest first, with a line before each day. */
export function ByDay<Row>({ rows, timeOf, columns, children }: Parts<Row>) {
  return rows.map((row, index) => {
    const day = timeOf(row).slice(0, 10)
    const before = rows[index - 1]
    const isFirst = before === undefined || timeOf(before).slice(0, 10) !== day
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows have keys of their own
      <Fragment key={index}>
        {isFirst && (
          <tr>
            <th colSpan={columns} scope="rowgroup">
              {fullTime(timeOf(row)).slice(0, -13)}
            </th>
          </tr>
        )}
        {children(row)}
      </Fragment>
    )
  })
}
