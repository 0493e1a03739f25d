import type { ReportingTable } from '@muster/contract/reporting-tables.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import '../components/list-body.css'
import { tablesQuery } from '../api/tables-query.ts'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { Page } from '../components/page.tsx'
import { Scroller } from '../components/scroller.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { ReportTabs } from './report-tabs.tsx'

const route = getRouteApi('/shell/reporting/tables')

export function TablesPage() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const tables = useQuery(tablesQuery)
  const text = q.toLowerCase()
  const rows = tables.data?.filter(({ name, description, column_names: columns }) =>
    [name, description, ...columns].some((part) => part.toLowerCase().includes(text)),
  )
  return (
    <Page title="Reporting tables">
      <ReportTabs />
      <search className="filterbar">
        <SearchBox
          value={q}
          placeholder="Table or column"
          onChange={(typed) => void navigate({ search: typed === '' ? {} : { q: typed }, replace: true })}
        />
      </search>
      {tables.isError && (
        <div className="page">
          <Failure what="Tables could not be loaded." error={tables.error} onRetry={() => void tables.refetch()} />
        </div>
      )}
      {tables.isPending && <SkeletonRows rows={10} />}
      {rows?.length === 0 && (
        <div className="page">
          <Emptiness title="No tables match.">{`Name or column contains “${q}”.`}</Emptiness>
        </div>
      )}
      {rows !== undefined && rows.length > 0 && <TableList rows={rows} />}
    </Page>
  )
}

const TableList = ({ rows }: { rows: readonly ReportingTable[] }) => (
  <Scroller name="Reporting tables" className="bleed">
    <table className="table bottom-line record-table">
      <thead>
        <tr>
          <th>Table</th>
          <th className="w-200">About</th>
          <th className="numeric w-120">Columns</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((table) => (
          <tr key={table.name} className="tall">
            <td className="c-name">
              <Link
                to="/reporting/tables/$name"
                params={{ name: table.name }}
                className="medium ellipsis"
                data-row-link
              >
                <code>{table.name}</code>
              </Link>
              <span className="second ellipsis" title={table.description}>
                {table.description}
              </span>
            </td>
            <td className="secondary c-sub">{table.category}</td>
            <td className="numeric c-lead" title={table.column_names.join(', ')}>
              {table.column_names.length}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroller>
)
