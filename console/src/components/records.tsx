import { Fragment, type MouseEvent, type ReactNode, useRef } from 'react'
import { choose, isChosen, range, type Selection } from './selection.ts'
import { SortHead } from './sort-head.tsx'
import { fullTime } from './times.ts'

/** One column of a list: its head, its cells, and what it can be sorted by. */
export type Column<Row, Sort extends string = never> = {
  /** What the head says, and what tells the columns apart. */
  readonly text: string
  /** The head is for screen readers only. */
  readonly isUntitled?: boolean
  /** Classes of the head: its width, and where it is aligned. */
  readonly head?: string
  /** Classes of each cell. */
  readonly className?: string
  readonly cell: (row: Row) => ReactNode
  /** The whole text of a cell that may be cut off, shown on hover. */
  readonly title?: (row: Row) => string | null | undefined
  /** Only where an index or a bounded list stands behind it. */
  readonly order?: {
    readonly ascending?: Sort | 'usual'
    readonly descending?: Sort | 'usual'
    readonly isDescendingFirst?: boolean
  }
}

export type Order<Sort extends string> = {
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
}

export type Choice<Row> = {
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
  /** What a row is called: "Choose …". */
  readonly nameOf: (row: Row) => string
  /** What is chosen of a row, where that is not its identifier. */
  readonly keyOf?: (row: Row) => string
  /** Rows are chosen by touching them, where they have no boxes otherwise. */
  readonly isTouched?: boolean
}

type Parts<Row, Sort extends string> = {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row, Sort>[]
  readonly order?: Order<Sort>
  readonly choice?: Choice<Row> | undefined
  /** Each row has two lines. */
  readonly isTall?: boolean
  /** The row whose record is open beside the list. */
  readonly openId?: string | undefined
  /** Of a log, newest first: a line stands before each day. */
  readonly timeOf?: (row: Row) => string
}

/** Head and body of a list, from its columns. */
export function Records<Row extends { readonly id: string }, Sort extends string = never>(parts: Parts<Row, Sort>) {
  const { rows, columns, order, choice, isTall = false, openId, timeOf } = parts
  const toggle = useToggle(rows, choice)
  return (
    <>
      <thead>
        <tr>
          {choice && <BoxHead rows={rows} choice={choice} />}
          {columns.map((column) => (
            <Head key={column.text} column={column} order={order} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => {
          const isOn = choice !== undefined && isChosen(choice.selection, keyIn(choice, row))
          const classes = [(isOn || row.id === openId) && 'selected', isTall && 'tall'].filter(Boolean).join(' ')
          return (
            <Fragment key={row.id}>
              {timeOf && <DayLine at={timeOf(row)} before={rows[index - 1]} timeOf={timeOf} columns={columns.length} />}
              <tr
                className={classes || undefined}
                onClickCapture={choice?.isTouched ? (event) => touched(event) && toggle(row, false) : undefined}
              >
                {choice && (
                  <td className="w-box">
                    <input
                      type="checkbox"
                      aria-label={`Choose ${choice.nameOf(row)}`}
                      checked={isOn}
                      onChange={(event) => toggle(row, isShifted(event.nativeEvent))}
                    />
                  </td>
                )}
                {columns.map(({ text, className, cell, title }) => (
                  <td key={text} className={className} title={title?.(row) ?? undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          )
        })}
      </tbody>
    </>
  )
}

type HeadParts<Row, Sort extends string> = {
  readonly column: Column<Row, Sort>
  readonly order: Order<Sort> | undefined
}

function Head<Row, Sort extends string>({
  column: { text, head, isUntitled, order: by },
  order,
}: HeadParts<Row, Sort>) {
  if (by && order) {
    return (
      <SortHead<Sort> {...by} {...order} {...(head !== undefined && { className: head })}>
        {text}
      </SortHead>
    )
  }
  return <th className={head}>{isUntitled ? <span className="hidden">{text}</span> : text}</th>
}

const keyIn = <Row extends { readonly id: string }>({ keyOf }: Choice<Row>, row: Row): string => keyOf?.(row) ?? row.id

function BoxHead<Row extends { readonly id: string }>({ rows, choice }: { rows: readonly Row[]; choice: Choice<Row> }) {
  const keys = rows.map((row) => keyIn(choice, row))
  const isAll = keys.every((key) => isChosen(choice.selection, key))
  return (
    <th className="w-box">
      <input
        type="checkbox"
        aria-label="Choose all rows of this page"
        checked={isAll}
        onChange={() => choice.onSelect(choose(choice.selection, keys, !isAll))}
      />
    </th>
  )
}

function useToggle<Row extends { readonly id: string }>(rows: readonly Row[], choice: Choice<Row> | undefined) {
  // Where the choice began: with Shift all rows from there are chosen.
  const begun = useRef<string>(undefined)
  return (row: Row, isRange: boolean) => {
    if (!choice) return
    const { selection, onSelect } = choice
    const key = keyIn(choice, row)
    const keys = isRange
      ? range(
          rows.map((one) => keyIn(choice, one)),
          begun.current,
          key,
        )
      : [key]
    onSelect(choose(selection, keys, !isChosen(selection, key)))
    begun.current = key
  }
}

/** A checkbox is changed by a click, by the keyboard as well. */
const isShifted = (event: Event): boolean => 'shiftKey' in event && event.shiftKey === true

/** Whether a click in a row is meant for the row itself. */
function touched(event: MouseEvent): boolean {
  const { target } = event
  if (!(target instanceof Element) || target.closest('input, button')) return false
  // What a dialog in the row is pressed for comes by here as well.
  if (!event.currentTarget.contains(target)) return false
  event.preventDefault()
  event.stopPropagation()
  return true
}

type DayParts<Row> = {
  readonly at: string
  readonly before: Row | undefined
  readonly timeOf: (row: Row) => string
  readonly columns: number
}

function DayLine<Row>({ at, before, timeOf, columns }: DayParts<Row>) {
  if (before !== undefined && timeOf(before).slice(0, 10) === at.slice(0, 10)) return null
  return (
    <tr>
      <th colSpan={columns} scope="rowgroup">
        {fullTime(at).slice(0, -13)}
      </th>
    </tr>
  )
}
