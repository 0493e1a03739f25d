import type { CheckResult } from '@muster/contract/check-results.ts'
import { useMemo } from 'react'
import { resultWords } from '../checks/check-words.ts'
import { byTrouble, rowStatusOf, statusColumn } from '../checks/row-status.ts'
import { RowsTable } from '../components/rows-table.tsx'
import { Mark } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

/** The rows that a check answered with, as text; those that trouble most first. */
export function ResultRows({ result }: { result: CheckResult }) {
  const rows = useMemo(
    () => result.check_result_data.toSorted((one, other) => byTrouble(rowStatusOf(one), rowStatusOf(other))),
    [result.check_result_data],
  )
  const failing = result.check_result_data.filter((row) => rowStatusOf(row) === 'failing').length
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
              <Mark name={resultWords[rowStatusOf(row)].mark} />
              <code>{visibleText(row[statusColumn] ?? '')}</code>
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
