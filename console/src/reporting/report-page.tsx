import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { query } from '../api/query.ts'
import { RecordPage } from '../components/record-page.tsx'
import '../components/list-body.css'
import './reporting.css'
import { useMay } from '../api/session.ts'
import { Page } from '../components/page.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { SqlBlock } from '../components/sql-block.tsx'
import { visibleText } from '../components/visible-text.ts'
import { ReportActions } from './report-actions.tsx'
import { ReportChart } from './report-chart.tsx'
import { ReportEditor } from './report-editor.tsx'
import { ReportRows } from './report-rows.tsx'

const route = getRouteApi('/shell/reporting/queries/$queryId')
const crumb = { to: '/reporting/queries', text: 'Reporting queries' } as const

/** What a run leaves: another moment, or another fault. */
const traceOf = ({ results_updated_at: at, error_message: error }: ReportingQuery): string => `${at} ${error}`

const hasNotRun = ({ results_updated_at: at, error_message: error }: ReportingQuery): boolean =>
  at === null && error === null

export function ReportPage() {
  const { queryId } = route.useParams()
  const [awaited, setAwaited] = useState<string>()
  const report = useQuery(
    query(
      'getReportingQuery',
      { params: { id: queryId } },
      {
        refetchInterval: ({ state: { data } }) => (awaited !== undefined || (data && hasNotRun(data)) ? 1_500 : 60_000),
      },
    ),
  )
  const isAwaited = awaited !== undefined && report.data !== undefined && traceOf(report.data) === awaited
  if (awaited !== undefined && report.data && !isAwaited) setAwaited(undefined)
  return (
    <RecordPage record={report} nouns={['query', 'queries']} id={queryId} crumb={crumb} why="It may have been deleted.">
      {(data) => (
        <LoadedReport
          key={queryId}
          report={data}
          isAwaited={isAwaited}
          onRun={(before) => setAwaited(traceOf(before))}
        />
      )}
    </RecordPage>
  )
}

type Parts = {
  readonly report: ReportingQuery
  readonly isAwaited: boolean
  /** Told what the query was before the run that was asked for. */
  readonly onRun: (before: ReportingQuery) => void
}

function LoadedReport({ report, isAwaited, onRun }: Parts) {
  const mayWrite = useMay('create_live_query')
  const name = visibleText(report.name)
  const results = report.results ?? []
  return (
    <Page
      title={name}
      crumb={crumb}
      hasOwnTitle
      actions={<ReportActions report={report} isAwaited={isAwaited} onRun={() => onRun(report)} />}
    >
      <div className="page">
        <h1 tabIndex={-1} className="ellipsis" title={name}>
          {name}
        </h1>
        <Runs report={report} isAwaited={isAwaited} />
        {mayWrite ? (
          <ReportEditor report={report} onRun={() => onRun(report)} />
        ) : (
          <SqlBlock sql={report.osquery_sql} label="the SQL" />
        )}
        {report.error_message !== null && (
          <p className="note blocked" role="alert">
            The latest run failed: {visibleText(report.error_message)}
          </p>
        )}
        {results.length > 0 && <ReportChart rows={results} />}
        <ReportRows report={report} rows={results} />
      </div>
    </Page>
  )
}

const everyWords: Readonly<Record<number, string>> = { 3600: 'every hour', 86400: 'every day', 604800: 'every week' }

function Runs({ report, isAwaited }: { report: ReportingQuery; isAwaited: boolean }) {
  const times = useQuery(query('getReportingQueryTimes', { params: { queryId: report.id } }, { pace: 'slow' }))
  const every = times.data && (everyWords[times.data.interval_seconds] ?? `every ${times.data.interval_seconds} s`)
  return (
    <p className="secondary" role="status">
      {isAwaited ? 'Running…' : null}
      {!isAwaited && report.results_updated_at === null && 'It has not run yet.'}
      {!isAwaited && report.results_updated_at !== null && (
        <>
          Ran <RelativeTime time={report.results_updated_at} />, {report.result_count.toLocaleString('en')}{' '}
          {report.result_count === 1 ? 'row' : 'rows'}
          {report.results_truncated && ', more than are kept'}.
        </>
      )}
      {every && ` Runs ${every}.`}
      {!isAwaited && times.data && report.error_message !== null && (
        <>
          {' '}
          The next run is due <RelativeTime time={times.data.next_run_at} />.
        </>
      )}
    </p>
  )
}
