import type { CheckResult } from '@muster/contract/check-results.ts'
import { useMemo } from 'react'
import { RowsTable } from '../components/rows-table.tsx'
import { Mark } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

const statusColumn = 'KOLIDE_CHECK_STATUS'

/** The rows that a check answered with, as text; failing ones first. */
export function ResultRows({ result }: { result: CheckResult }) {
  const rows = useMemo(
    () => result.check_result_data.toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one))),
    [result.check_result_data],
  )
  const failing = result.check_result_data.filter(isFailing).length
  const count = result.check_result_data.length
  return (
    <div className="panel rows">
      <RowsTable
        name="Rows of the check"
        rows={rows}
        last={{
          column: statusColumn,
          show: (row) => (
            <span className="state">
              <Mark name={isFailing(row) ? 'cross' : 'tick'} />
              <code>{isFailing(row) ? 'FAIL' : visibleText(row[statusColumn] ?? 'PASS')}</code>
            </span>
          ),
        }}
      />
      <div className="rows-foot">
        {count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`}, {failing.toLocaleString('en')} failing.
        {result.ran_at !== null && ` Ran ${fullTime(result.ran_at)}.`}
      </div>
    </div>
  )
}

const isFailing = (row: Readonly<Record<string, string>>): boolean => row[statusColumn] === 'FAIL'
