import type { MovedDevice } from '@muster/contract/console-devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { countQuery, query } from '../api/query.ts'
import { devicesInWords } from '../components/devices-in-words.ts'
import { ListBody } from '../components/list-body.tsx'
import { LoadFailure } from '../components/notices.tsx'
import { StandingShape, standingWords } from '../components/state-shape.tsx'
import { fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = {
  readonly entryId: string
  readonly after: string | undefined
  readonly onNext: (after: string) => void
}

/** The devices whose state an entry changed, each leading to its history; nothing where it changed none. */
export function MovedDevices({ entryId, after, onNext }: Parts) {
  const params = { entryId }
  const list = useQuery(
    query('listMovedDevices', { params, query: { per_page: 50, cursor: after } }, { pace: 'usual' }),
  )
  const count = useQuery(countQuery('listMovedDevices', { params }, { pace: 'usual' }))
  if (!list.data) return <LoadFailure what="The devices whose state it changed" query={list} />
  if (list.data.data.length === 0) return null
  return (
    <section aria-labelledby="moved" className="section">
      <h2 id="moved">
        {count.data ? `Changed the state of ${devicesInWords(count.data.count)}` : 'Devices whose state it changed'}
      </h2>
      <ListBody isInset list={list} name="Devices whose state it changed" empty={null} after={after} onNext={onNext}>
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Device</th>
                <th className="w-240">State</th>
                <th className="numeric w-240">When, UTC</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Moved key={row.id} row={row} />
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </section>
  )
}

function Moved({ row }: { readonly row: MovedDevice }) {
  const name = visibleText(row.device_name ?? '')
  return (
    <tr>
      <td className="c-name">
        {row.device_name === null ? (
          <span className="secondary">Device {row.device_id}, deleted</span>
        ) : (
          <Link
            to="/devices/$deviceId/history"
            params={{ deviceId: row.device_id }}
            className="medium ellipsis"
            data-row-link
            title={name}
          >
            {name}
          </Link>
        )}
      </td>
      <td className="c-lead">
        <span className="state">
          <StandingShape standing={row.to} />
          {`${standingWords[row.from]} → ${standingWords[row.to]}`}
        </span>
      </td>
      <td className="numeric tabular c-time">{fullTime(row.occurred_at).slice(4, -4)}</td>
    </tr>
  )
}
