import type { DeviceLiveQuery } from '@muster/contract/console-devices.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { ListBody } from '../components/list-body.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { Mark } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

const route = getRouteApi('/shell/devices/$deviceId/live-queries')

export function DeviceLiveQueries() {
  const { deviceId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const mayAsk = useMay('create_live_query')
  const asked = { params: { deviceId }, query: { per_page: 50, cursor: after } }
  const list = useQuery(query('listLiveQueriesOfDevice', asked, { refetchInterval: 10_000 }))
  return (
    <div className="in-tab">
      {mayAsk && (
        <p>
          <Link className="line-button" to="/live-queries/new" search={{ device: deviceId }}>
            Query this device
          </Link>
        </p>
      )}
      <ListBody
        isInset
        list={list}
        name="Live queries"
        empty={<p className="secondary">No live query has run on this device.</p>}
        after={after}
        onNext={(next) => void navigate({ search: { after: next } })}
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Live query</th>
                <th className="w-200">Answer</th>
                <th className="numeric w-120">Asked</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id} className={row.error_message === null ? '' : 'tall'}>
                  <td className="c-name">
                    <Link to="/live-queries/$queryId" params={{ queryId: row.id }} className="medium ellipsis">
                      {visibleText(row.name)}
                    </Link>
                    {row.error_message !== null && (
                      <span className="second ellipsis" title={visibleText(row.error_message)}>
                        {visibleText(row.error_message)}
                      </span>
                    )}
                  </td>
                  <td className="c-sub">
                    <Answer row={row} />
                  </td>
                  <td className="numeric secondary c-time">
                    <RelativeTime time={row.started_at} />
                  </td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </div>
  )
}

function Answer({ row: { status, row_count: count } }: { row: DeviceLiveQuery }) {
  const mark = { waiting: 'clock', successful: 'tick', errored: 'warning' } as const
  const rows = count === 1 ? '1 row' : `${count ?? 0} rows`
  return (
    <span className={status === 'errored' ? 'delivery bad' : 'delivery'}>
      <Mark name={mark[status]} />
      {status === 'waiting' ? 'Waiting' : status === 'errored' ? 'Could not run it' : rows}
    </span>
  )
}
