import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Scroller } from '../components/scroller.tsx'
import { useRowsInSight } from '../components/use-rows-in-sight.ts'
import { visibleText } from '../components/visible-text.ts'

/** More is for the export. */
const mostRows = 10_000
const mostColumns = 100
const rowHeight = 36

export const DeviceLink = ({ answer }: { answer: LiveAnswerView }) => (
  <Link to="/devices/$deviceId" params={{ deviceId: answer.device_id }} className="m">
    {visibleText(answer.device_name)}
  </Link>
)

type Row = { readonly answer: LiveAnswerView; readonly row: Readonly<Record<string, string>>; readonly index: number }

/** The rows of all devices in one table, of which only those in sight are drawn. */
export function AnswerRows({ answers, isWaiting }: { answers: readonly LiveAnswerView[]; isWaiting: boolean }) {
  const all = useMemo(
    () => answers.flatMap((answer): Row[] => answer.results.map((row, index) => ({ answer, row, index }))),
    [answers],
  )
  if (all.length === 0) {
    return (
      <p className="t2">
        {answers.length > 0
          ? 'No device has a row.'
          : isWaiting
            ? 'No device has answered yet.'
            : 'There is no answer.'}
      </p>
    )
  }
  return (
    <>
      <RowTable rows={all.slice(0, mostRows)} />
      <p className="sm t2 answers-foot">{countsOf(answers, all.length)}</p>
    </>
  )
}

function RowTable({ rows }: { rows: readonly Row[] }) {
  const columns = useMemo(() => columnsOf(rows), [rows])
  const { body, first, last } = useRowsInSight<HTMLTableSectionElement>(rows.length, rowHeight)
  const width = columns.reduce((sum, column) => sum + column.width, deviceWidth)
  return (
    <Scroller name="Rows that devices answered">
      <table className="t c answer-table" aria-rowcount={rows.length + 1} style={{ minWidth: width }}>
        <colgroup>
          <col style={{ width: deviceWidth }} />
          {columns.map(({ name, width: wide }) => (
            <col key={name} style={{ width: wide }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th>Device</th>
            {columns.map(({ name }) => (
              <th key={name} title={visibleText(name)}>
                <code>{visibleText(name)}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap rows={first} />
          {rows.slice(first, last).map(({ answer, row, index }, place) => (
            <tr key={`${answer.id} ${index}`} aria-rowindex={first + place + 2}>
              <td>
                <DeviceLink answer={answer} />
              </td>
              {columns.map(({ name }) => (
                <td key={name} title={visibleText(row[name] ?? '')}>
                  {visibleText(row[name] ?? '')}
                </td>
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - last} />
        </tbody>
      </table>
    </Scroller>
  )
}

/** In the place of rows out of sight. */
const Gap = ({ rows }: { rows: number }) =>
  rows > 0 && (
    <tr>
      <td className="gap" style={{ height: rows * rowHeight }} />
    </tr>
  )

const deviceWidth = 220

/** As wide as what stands in them, up to a bound, and not of another width when other rows come into sight. */
function columnsOf(rows: readonly Row[]): { name: string; width: number }[] {
  const letters = new Map<string, number>()
  for (const { row } of rows) {
    for (const [name, value] of Object.entries(row)) {
      letters.set(name, Math.max(letters.get(name) ?? name.length, value.length))
    }
  }
  return [...letters]
    .slice(0, mostColumns)
    .map(([name, longest]) => ({ name, width: Math.min(360, Math.max(72, Math.round(longest * 7.4) + 26)) }))
}

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? one : `${count.toLocaleString('en')} ${many}`

function countsOf(answers: readonly LiveAnswerView[], rows: number): string {
  const without = answers.filter(({ results }) => results.length === 0).length
  const warned = answers.filter(({ warning_message: warning }) => warning !== null).length
  const parts = [
    rows > mostRows
      ? `The first ${mostRows.toLocaleString('en')} of ${rows.toLocaleString('en')} rows; the export has all.`
      : `${counted(rows, '1 row', 'rows')}.`,
    without > 0 && `${counted(without, '1 device has', 'devices have')} none.`,
    warned > 0 && `Of ${counted(warned, '1 device', 'devices')} some rows were left out.`,
  ]
  return parts.filter(Boolean).join(' ')
}
