import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { Scroller } from '../components/scroller.tsx'
import { valueText } from './value-text.ts'

type Row = Readonly<Record<string, unknown>>

const maxRows = 200

export function ReportRows({ report, rows }: { report: ReportingQuery; rows: readonly Row[] }) {
  const shown = rows.slice(0, maxRows)
  const columns = Object.keys(rows[0] ?? {})
  if (rows.length === 0) {
    return <p className="secondary section">{report.results_updated_at === null ? 'No rows yet.' : 'No rows.'}</p>
  }
  return (
    <section aria-labelledby="report-rows" className="section">
      <div className="section-head">
        <h2 id="report-rows">Rows</h2>
        <span className="small faint">
          {report.result_count > shown.length &&
            `The first ${shown.length} of ${report.result_count.toLocaleString('en')}; the export has all.`}
        </span>
      </div>
      <Scroller name="Rows of the query">
        <table className="table compact value-table">
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} className={isNumeric(rows, name) ? 'numeric' : ''}>
                  <code>{valueText(name)}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and a new run replaces them all
              <tr key={index}>
                {columns.map((name) => (
                  <td key={name} className={isNumeric(rows, name) ? 'numeric' : ''} title={valueText(row[name])}>
                    {valueText(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}

const isNumeric = (rows: readonly Row[], name: string): boolean =>
  rows.every((row) => row[name] === null || typeof row[name] === 'number')
