import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { readAfter } from '../components/read-filters.ts'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'
import { reportsQuery } from './report-queries.ts'
import { ReportTabs } from './report-tabs.tsx'

const route = getRouteApi('/shell/reporting/queries')

export function ReportsPage() {
  const filters = readAfter(route.useSearch())
  const navigate = route.useNavigate()
  const list = useQuery(reportsQuery(filters.after))
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
      {(rows) => (
        <>
          <thead>
            <tr>
              <th>Query</th>
              <th className="num w-200">Rows</th>
              <th className="num w-150">Ran</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id} className="tall">
                <td className="c-name">
                  <Link to="/reporting/queries/$queryId" params={{ queryId: row.id }} className="m ell" data-row-link>
                    {visibleText(row.name)}
                  </Link>
                  <code className="second ell">{visibleText(row.osquery_sql)}</code>
                </td>
                <td className="num c-lead">
                  <Outcome report={row} />
                </td>
                <td className="num t2 c-time">
                  <RelativeTime time={row.results_updated_at} missing="not yet" />
                </td>
              </tr>
            ))}
          </tbody>
        </>
      )}
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
      <span className="tn">{`${report.result_count.toLocaleString('en')}${report.results_truncated ? '+' : ''}`}</span>
    )
  }
  return (
    <span className="delivery bad" title={visibleText(report.error_message)}>
      <Mark name="cross" />
      Failed
    </span>
  )
}
