import type { LiveQueryView } from '@muster/contract/console-queries.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { csvAddressOf } from '../api/api.ts'
import { useLive } from '../api/live.ts'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Emptiness } from '../components/notices.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { readLiveQueryFilters } from './live-query-queries.ts'

const route = getRouteApi('/shell/live-queries')

export function LiveQueriesPage() {
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const asked = { search: filters.q, per_page: 50, cursor: filters.after }
  const refetchInterval = useLive().isOn ? 60_000 : 10_000
  const list = useQuery(query('listLiveQueryViews', { query: asked }, { refetchInterval }))
  const mayCreate = useMay('create_live_query')
  return (
    <ListPage
      title="Live query"
      name="Live queries"
      nouns={['live query', 'live queries']}
      views="live_queries"
      file={csvAddressOf('listLiveQueryViews', { query: { search: filters.q } })}
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
      {(rows) => <Records isTall rows={rows} columns={columns} />}
    </ListPage>
  )
}

const NewQuery = () => (
  <Link className="line-button" to="/live-queries/new">
    <Icon name="plus" size={14} />
    New live query
  </Link>
)

const countColumn = (
  text: string,
  className: string,
  count: (row: LiveQueryView) => number,
): Column<LiveQueryView> => ({
  text,
  head: 'numeric w-120',
  className: `numeric ${className}`,
  cell: (row) => count(row).toLocaleString('en'),
})

const columns: readonly Column<LiveQueryView>[] = [
  {
    text: 'Live query',
    className: 'c-name',
    cell: ({ id, name, osquery_sql: sql }) => (
      <>
        <Link to="/live-queries/$queryId" params={{ queryId: id }} className="medium ellipsis" data-row-link>
          {visibleText(name)}
        </Link>
        <code className="second ellipsis">{visibleText(sql)}</code>
      </>
    ),
  },
  countColumn('Answered', 'c-lead', (row) => row.successful_devices_count),
  countColumn('Waiting', 'c-more secondary', (row) => row.waiting_devices_count),
  {
    ...countColumn('Errors', 'c-more', () => 0),
    cell: ({ errored_devices_count: count }) => (
      <span className={count > 0 ? 'bad' : 'secondary'}>{count.toLocaleString('en')}</span>
    ),
  },
  {
    text: 'Asked',
    head: 'numeric w-120',
    className: 'numeric c-time secondary',
    cell: ({ started_at: at }) => <RelativeTime time={at} />,
  },
]
