import type { CheckResult } from '@muster/contract/check-results.ts'
import { Scroller } from '../components/scroller.tsx'
import { Mark } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

const statusColumn = 'KOLIDE_CHECK_STATUS'
const mostRows = 100

/** The rows that a check answered with, as text; failing ones first. */
export function ResultRows({ result }: { result: CheckResult }) {
  const rows = result.check_result_data
    .toSorted((one, other) => Number(isFailing(other)) - Number(isFailing(one)))
    .slice(0, mostRows)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => name !== statusColumn)
  const failing = result.check_result_data.filter(isFailing).length
  const count = result.check_result_data.length
  return (
    <div className="panel rows">
      <Scroller name="Rows of the check">
        <table className="t c">
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name}>
                  <code>{visibleText(name)}</code>
                </th>
              ))}
              <th>
                <code>status</code>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and a new result replaces them all
              <tr key={index}>
                {columns.map((name) => (
                  <td key={name} title={visibleText(row[name] ?? '')}>
                    <code>{visibleText(row[name] ?? '')}</code>
                  </td>
                ))}
                <td>
                  <span className="state">
                    <Mark name={isFailing(row) ? 'cross' : 'tick'} />
                    <code>{isFailing(row) ? 'FAIL' : visibleText(row[statusColumn] ?? 'PASS')}</code>
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <div className="rows-foot">
        {count === 1 ? '1 row' : `${count} rows`}, {failing} failing.
        {count > mostRows && ` The first ${mostRows} are shown.`}
        {result.ran_at !== null && ` Ran ${fullTime(result.ran_at)}.`}
      </div>
    </div>
  )
}

const isFailing = (row: Readonly<Record<string, string>>): boolean => row[statusColumn] === 'FAIL'
