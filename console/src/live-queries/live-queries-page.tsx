import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { addressOf } from '../api/api.ts'
import { useLive } from '../api/live.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { liveQueriesQuery, readLiveQueryFilters } from './live-query-queries.ts'

const route = getRouteApi('/shell/live-queries')

export function LiveQueriesPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(liveQueriesQuery(filters, useLive().isOn))
  const mayCreate = useMay('create_live_query')
  return (
    <ListPage
      title="Live query"
      name="Live queries"
      nouns={['live query', 'live queries']}
      views="live_queries"
      file={addressOf('exportLiveQueries', { query: { search: filters.q } })}
      actions={mayCreate && <NewQuery />}
      list={list}
      filters={filters}
      read={readLiveQueryFilters}
      inWords={({ q }) => (q ? `Name or SQL contains “${q}”.` : '')}
      onShow={(search, isTyping = false) => void navigate({ search, replace: isTyping })}
      searched="Name or SQL"
      empty={
        <Emptiness title="No live queries yet." guide="live-queries">
          Online devices answer osquery SQL within seconds; the others when they come back.
        </Emptiness>
      }
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
    </ListPage>
  )
}

const NewQuery = () => (
  <Link className="line-button" to="/live-queries/new">
    <Icon name="plus" size={14} />
    New live query
  </Link>
)
