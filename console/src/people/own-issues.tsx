import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { ListBody } from '../components/list-body.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { IssueName } from '../issues/issue-name.tsx'
import { ownDevicesQuery } from './own-devices.tsx'

/** Open issues of all devices of the person. */
export function OwnIssues({ personId }: { personId: string }) {
  const asked = { params: { personId }, query: { per_page: 100 } }
  const issues = useQuery(query('listOpenIssuesOfPerson', asked, { pace: 'slow' }))
  const devices = useQuery(ownDevicesQuery(personId))
  const nameOf = (id: string) => devices.data?.data.find((device) => device.id === id)?.name ?? `Device ${id}`
  return (
    <section aria-labelledby="own-issues" className="section">
      <div className="section-head">
        <h2 id="own-issues">Open issues</h2>
      </div>
      <ListBody isInset list={issues} name="Open issues" empty={<p className="secondary">No open issues.</p>}>
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Issue</th>
                <th className="w-200">Device</th>
                <th className="numeric w-96">Found</th>
                <th className="numeric w-120">Blocks</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((issue) => (
                <tr key={issue.id} className={issue.issue_value === null ? '' : 'tall'}>
                  <IssueName issue={issue} />
                  <td className="c-sub">
                    <Link
                      to="/devices/$deviceId"
                      params={{ deviceId: issue.device_information.identifier }}
                      className="ellipsis"
                    >
                      {visibleText(nameOf(issue.device_information.identifier))}
                    </Link>
                  </td>
                  <td className="numeric c-more secondary">
                    <RelativeTime time={issue.detected_at} />
                  </td>
                  <td className="numeric c-time">
                    <RelativeTime time={issue.blocks_device_at} missing={issue.exempted ? 'Exempted' : 'Never'} />
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
