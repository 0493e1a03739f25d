import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { ListBody } from '../components/list-body.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { StateCell } from '../components/state-shape.tsx'
import { visibleText } from '../components/visible-text.ts'

/** Nobody has more devices than one page. */
export const ownDevicesQuery = (personId: string) =>
  query('listDeviceViews', { query: { owner_id: personId, per_page: 100 } }, { pace: 'usual' })

export function OwnDevices({ personId }: { personId: string }) {
  const devices = useQuery(ownDevicesQuery(personId))
  return (
    <section aria-labelledby="own-devices">
      <div className="section-head">
        <h2 id="own-devices">Devices</h2>
      </div>
      <ListBody
        isInset
        list={devices}
        name="Devices"
        empty={<p className="secondary">This person has no registered devices.</p>}
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Device</th>
                <th className="w-150">State</th>
                <th className="w-96">Blocks</th>
                <th className="w-150">System</th>
                <th className="numeric w-96">Last seen</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((device) => (
                <tr key={device.id}>
                  <td className="c-name">
                    <Link
                      to="/devices/$deviceId"
                      params={{ deviceId: device.id }}
                      className="medium ellipsis"
                      data-row-link
                    >
                      {visibleText(device.name)}
                    </Link>
                  </td>
                  <td className="c-lead">
                    <StateCell standing={device.standing} />
                  </td>
                  <td className="c-more">
                    <RelativeTime time={device.will_block_at ?? device.blocked_since} />
                  </td>
                  <td className="c-sub secondary">{visibleText(device.operating_system ?? '—')}</td>
                  <td className="numeric c-time secondary">
                    <RelativeTime time={device.last_seen_at} missing="never" />
                  </td>
                </tr>
              ))}
            </tbody>
          </>
        )}
      </ListBody>
    </section>
  )
}
