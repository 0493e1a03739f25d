import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { ListBody } from '../components/list-body.tsx'
import { deviceQuery } from './device-queries.ts'
import { HistoryEntryCells } from './history-entry.tsx'
import { StateStrip } from './state-strip.tsx'

const route = getRouteApi('/shell/devices/$deviceId/history')

export const historyEntriesQuery = (id: string, after?: string) =>
  query('listHistoryOfDevice', { params: { deviceId: id }, query: { per_page: 100, cursor: after } }, { pace: 'usual' })

/** How the device stood over the last four weeks, and each change with its reason. */
export function DeviceHistory() {
  const { deviceId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const device = useQuery(deviceQuery(deviceId)).data
  const latest = useQuery(historyEntriesQuery(deviceId))
  const list = useQuery(historyEntriesQuery(deviceId, after))
  return (
    <div className="in-tab">
      <section aria-labelledby="strip">
        <h2 id="strip">State, 28 days</h2>
        {device && latest.data && <StateStrip device={device} historyEntries={latest.data.data} />}
      </section>
      <section aria-labelledby="changes" className="section">
        <h2 id="changes">Changes</h2>
        <ListBody
          isInset
          list={list}
          name="Changes"
          empty={<p className="secondary">No changes in the last 30 days.</p>}
          after={after}
          onNext={(next) => void navigate({ search: { after: next } })}
        >
          {(rows) => (
            <>
              <thead>
                <tr>
                  <th>What happened</th>
                  <th className="w-200">By</th>
                  <th className="numeric w-240">When, UTC</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <HistoryEntryCells key={row.id} entry={row} />
                ))}
              </tbody>
            </>
          )}
        </ListBody>
      </section>
    </div>
  )
}
