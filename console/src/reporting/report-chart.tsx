import { valueText } from './value-text.ts'

type Row = Readonly<Record<string, unknown>>

const maxBars = 15

/** The columns of text against the first of numbers, as bars, largest first; nothing where there are none such. */
export function ReportChart({ rows }: { rows: readonly Row[] }) {
  const columns = Object.keys(rows[0] ?? {})
  const measure = columns.find((name) => rows.every((row) => typeof row[name] === 'number' && row[name] >= 0))
  const labels = columns.filter((name) => name !== measure && rows.some((row) => typeof row[name] === 'string'))
  const labelOf = (row: Row): string =>
    labels
      .map((name) => valueText(row[name]))
      .filter(Boolean)
      .join(' · ')
  if (measure === undefined || labels.length === 0 || rows.length < 2) return null
  const amountOf = (row: Row): number => Number(row[measure])
  const bars = rows.toSorted((one, other) => amountOf(other) - amountOf(one)).slice(0, maxBars)
  const largest = Math.max(...bars.map(amountOf))
  if (largest === 0) return null
  return (
    <section aria-labelledby="report-chart" className="section">
      <div className="section-head">
        <h2 id="report-chart">
          {valueText(measure)} by {labels.map(valueText).join(', ')}
        </h2>
        {rows.length > maxBars && <span className="small faint">The largest {maxBars}</span>}
      </div>
      <ul className="bars">
        {bars.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and a new run replaces them all
          <li key={index}>
            <span className="ellipsis" title={labelOf(row)}>
              {labelOf(row) || '—'}
            </span>
            <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">
              <rect className="bar-idle" x="0" y="0" height="12" width={(amountOf(row) / largest) * 1_000} />
            </svg>
            <span className="numeric tabular">{amountOf(row).toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
