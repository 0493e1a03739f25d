import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { readAfter } from '../components/read-filters.ts'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { ReportTabs } from './report-tabs.tsx'

const route = getRouteApi('/shell/reporting/queries')

export function ReportsPage() {
  const filters = readAfter(route.useSearch())
  const navigate = route.useNavigate()
  const asked = { omit_results: '1', per_page: 50, cursor: filters.after } as const
  const list = useQuery(query('listReportingQueries', { query: asked }, { pace: 'usual' }))
  const mayWrite = useMay('create_live_query')
  return (
    <ListPage
      title="Reporting queries"
      name="Reporting queries"
      nouns={['reporting query', 'reporting queries']}
      actions={mayWrite && <NewQuery />}
      tabs={<ReportTabs />}
      list={list}
      filters={filters}
      read={readAfter}
      inWords={() => ''}
      onShow={(search) => void navigate({ search })}
      empty={
        <Emptiness title="No reporting queries yet." guide="reporting-queries">
          Saved SQL over the reporting tables, run on the schedule you choose.
        </Emptiness>
      }
    >
      {(rows) => <Records isTall rows={rows} columns={columns} />}
    </ListPage>
  )
}

const NewQuery = () => (
  <Link className="line-button" to="/reporting/queries/new">
    <Icon name="plus" size={14} />
    New query
  </Link>
)

function Outcome({ report }: { report: ReportingQuery }) {
  if (report.error_message === null) {
    return (
      <span className="tabular">{`${report.result_count.toLocaleString('en')}${report.results_truncated ? '+' : ''}`}</span>
    )
  }
  return (
    <span className="delivery bad" title={visibleText(report.error_message)}>
      <Mark name="cross" />
      Failed
    </span>
  )
}

const columns: readonly Column<ReportingQuery>[] = [
  {
    text: 'Query',
    className: 'c-name',
    cell: ({ id, name, osquery_sql: sql }) => (
      <>
        <Link to="/reporting/queries/$queryId" params={{ queryId: id }} className="medium ellipsis" data-row-link>
          {visibleText(name)}
        </Link>
        <code className="second ellipsis">{visibleText(sql)}</code>
      </>
    ),
  },
  { text: 'Rows', head: 'numeric w-200', className: 'numeric c-lead', cell: (report) => <Outcome report={report} /> },
  {
    text: 'Ran',
    head: 'numeric w-150',
    className: 'numeric secondary c-time',
    cell: ({ results_updated_at: at }) => <RelativeTime time={at} missing="not yet" />,
  },
]
