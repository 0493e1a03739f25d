import { Button } from '@mantine/core'
import type { LiveAnswerView } from '@muster/contract/console-queries.ts'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { columnWidthsOf } from '../components/column-widths.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { type WindowedColumn, WindowedTable } from '../components/windowed-table.tsx'
import { readOtherRows } from './live-query-queries.ts'

/** More is for the export. */
const maxRows = 10_000

export const DeviceLink = ({ answer }: { answer: LiveAnswerView }) => (
  <Link to="/devices/$deviceId" params={{ deviceId: answer.device_id }} className="medium">
    {visibleText(answer.device_name)}
  </Link>
)

type Row = { readonly answer: LiveAnswerView; readonly row: Readonly<Record<string, string>>; readonly index: number }

type OtherRows = ReadonlyMap<string, LiveAnswerView['results']>

/** The rows of all devices in one table, of which only those in sight are drawn. */
export function AnswerRows(props: { queryId: string; answers: readonly LiveAnswerView[]; isWaiting: boolean }) {
  const { queryId, answers, isWaiting } = props
  const [others, setOthers] = useState<OtherRows>(new Map())
  const all = useMemo(
    () =>
      answers.flatMap((answer): Row[] =>
        [...answer.results, ...(others.get(answer.id) ?? [])].map((row, index) => ({ answer, row, index })),
      ),
    [answers, others],
  )
  const shown = useMemo(() => all.slice(0, maxRows), [all])
  if (all.length === 0) {
    return (
      <p className="secondary">
        {answers.length > 0 ? 'No device returned rows.' : isWaiting ? 'No device has answered yet.' : 'No answers.'}
      </p>
    )
  }
  return (
    <>
      <RowTable rows={shown} />
      <p className="small secondary answers-foot">{countsOf(answers, all.length)}</p>
      {all.length < maxRows && (
        <MoreRows
          queryId={queryId}
          answer={answers.find((one) => one.kept_count > one.results.length && !others.has(one.id))}
          onRead={(answer, rows) => setOthers((known) => new Map([...known, [answer.id, rows]]))}
        />
      )}
    </>
  )
}

type MoreRowsProps = {
  readonly queryId: string
  /** The first whose rows are not all here. */
  readonly answer: LiveAnswerView | undefined
  readonly onRead: (answer: LiveAnswerView, rows: LiveAnswerView['results']) => void
}

function MoreRows({ queryId, answer, onRead }: MoreRowsProps) {
  const read = useAction({
    act: async () => {
      if (answer) onRead(answer, await readOtherRows(queryId, answer, maxRows))
    },
  })
  if (!answer) return null
  return (
    <p>
      <Button variant="default" loading={read.isPending} onClick={() => read.mutate()}>
        Show all {answer.kept_count.toLocaleString('en')} rows of {visibleText(answer.device_name)}
      </Button>
    </p>
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

/** What is not in the list alone is said to be at another address. */
const isIncomplete = (answer: LiveAnswerView): boolean =>
  answer.kept_count < answer.row_count ||
  (answer.kept_count === answer.results.length && answer.warning_message !== null)

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? one : `${count.toLocaleString('en')} ${many}`

function countsOf(answers: readonly LiveAnswerView[], rows: number): string {
  const without = answers.filter(({ results }) => results.length === 0).length
  const warned = answers.filter(isIncomplete).length
  const parts = [
    rows > maxRows
      ? `The first ${maxRows.toLocaleString('en')} of ${rows.toLocaleString('en')} rows; the export has all.`
      : `${counted(rows, '1 row', 'rows')}.`,
    without > 0 && `${counted(without, '1 device has', 'devices have')} none.`,
    warned > 0 && `Of ${counted(warned, '1 device', 'devices')} some rows were left out.`,
  ]
  return parts.filter(Boolean).join(' ')
}
