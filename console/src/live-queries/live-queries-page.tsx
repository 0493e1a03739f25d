import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { useLive } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { Icon } from '../components/icon.tsx'
import { ListBody } from '../components/list-body.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { ViewBar } from '../components/saved-views.tsx'
import { SearchBox } from '../components/search-box.tsx'
import { visibleText } from '../components/visible-text.ts'
import { Page } from '../shell/page.tsx'
import { liveQueriesQuery, readLiveQueryFilters } from './live-query-queries.ts'

const route = getRouteApi('/shell/live-queries')

export function LiveQueriesPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(liveQueriesQuery(filters, useLive().isOn))
  const mayCreate = useMay('create_live_query')
  const filterInWords = filters.q ? `Name or SQL contains “${filters.q}”.` : ''
  return (
    <Page
      title="Live query"
      actions={
        <>
          <ExportCsv
            file={addressOf('exportLiveQueries', { query: { search: filters.q } })}
            filterInWords={filterInWords}
            one="live query"
            many="live queries"
          />
          {mayCreate && (
            <Link className="line-button" to="/live-queries/new">
              <Icon name="plus" size={14} />
              New live query
            </Link>
          )}
        </>
      }
    >
      <ViewBar page="live_queries" />
      <search className="filterbar">
        <SearchBox
          value={filters.q ?? ''}
          placeholder="Name or SQL"
          onChange={(q) => void navigate({ search: readLiveQueryFilters({ q }), replace: true })}
        />
      </search>
      <ListBody
        list={list}
        name="Live queries"
        filter={filterInWords}
        noMatch="No live queries match."
        onClear={() => void navigate({ search: {} })}
        empty={
          <Emptiness title="No live queries yet." guide="live-queries">
            Online devices answer osquery SQL within seconds; the others when they come back.
          </Emptiness>
        }
        after={filters.after}
        onNext={(after) => void navigate({ search: { ...filters, after } })}
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Live query</th>
                <th className="num w-120">Answered</th>
                <th className="num w-120">Waiting</th>
                <th className="num w-120">Errors</th>
                <th className="num w-120">Asked</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id} className="tall">
                  <td className="c-name">
                    <Link to="/live-queries/$queryId" params={{ queryId: row.id }} className="m ell" data-row-link>
                      {visibleText(row.name)}
                    </Link>
                    <code className="second ell">{visibleText(row.osquery_sql)}</code>
                  </td>
                  <td className="num c-lead">{row.successful_devices_count.toLocaleString('en')}</td>
                  <td className="num c-more t2">{row.waiting_devices_count.toLocaleString('en')}</td>
                  <td className={row.errored_devices_count > 0 ? 'num c-more bad' : 'num c-more t2'}>
                    {row.errored_devices_count.toLocaleString('en')}
                  </td>
                  <td className="num c-time t2">
                    <RelativeTime time={row.started_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </Page>
  )
}
