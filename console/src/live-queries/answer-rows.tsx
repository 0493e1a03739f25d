import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { columnWidthsOf } from '../components/column-widths.ts'
import { visibleText } from '../components/visible-text.ts'
import { type WindowedColumn, WindowedTable } from '../components/windowed-table.tsx'

/** More is for the export. */
const mostRows = 10_000

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
  const shown = useMemo(() => all.slice(0, mostRows), [all])
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
      <RowTable rows={shown} />
      <p className="sm t2 answers-foot">{countsOf(answers, all.length)}</p>
    </>
  )
}

const deviceWidth = 220

function RowTable({ rows }: { rows: readonly Row[] }) {
  const columns = useMemo(
    () =>
      columnWidthsOf(rows.map(({ row }) => row)).map(
        ({ name, width }): WindowedColumn<Row> => ({
          key: `column ${name}`,
          head: <code>{visibleText(name)}</code>,
          title: visibleText(name),
          width,
          cell: ({ row }) => visibleText(row[name] ?? ''),
          cellTitle: ({ row }) => visibleText(row[name] ?? ''),
        }),
      ),
    [rows],
  )
  const device: WindowedColumn<Row> = {
    key: 'device',
    head: 'Device',
    width: deviceWidth,
    cell: ({ answer }) => <DeviceLink answer={answer} />,
  }
  return (
    <WindowedTable
      name="Rows that devices answered"
      columns={[device, ...columns]}
      rows={rows}
      keyOf={({ answer, index }) => `${answer.id} ${index}`}
    />
  )
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
