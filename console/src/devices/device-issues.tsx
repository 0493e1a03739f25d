import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { query } from '../api/query.ts'
import { ListBody } from '../components/list-body.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { IssueName } from '../issues/issue-name.tsx'
import { IssueState } from '../issues/issue-state.tsx'
import '../issues/issues.css'
import type { IssueFilters } from './device-tab-filters.ts'

const route = getRouteApi('/shell/devices/$deviceId/issues')

const issuesQuery = (device: string, { show, after }: IssueFilters) => {
  const sort = show === undefined ? ('blocks_at' as const) : undefined
  return query(
    'listIssueViews',
    { query: { device, state: show, sort, per_page: 50, cursor: after } },
    { pace: 'usual' },
  )
}

const choices = [
  [undefined, 'Open'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const

const empties = {
  open: 'No open issues.',
  resolved: 'No resolved issues yet.',
  all: 'This device has never had an issue.',
} as const

export function DeviceIssues() {
  const { deviceId } = route.useParams()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(issuesQuery(deviceId, filters))
  return (
    <div className="in-tab">
      <nav className="views" aria-label="Which issues">
        {choices.map(([show, text]) => (
          <Link
            key={text}
            to="/devices/$deviceId/issues"
            params={{ deviceId }}
            search={show === undefined ? {} : { show }}
            className={filters.show === show ? 'on' : ''}
            aria-current={filters.show === show ? 'page' : undefined}
          >
            {text}
          </Link>
        ))}
      </nav>
      <ListBody
        isInset
        list={list}
        name="Issues"
        empty={<p className="secondary">{empties[filters.show ?? 'open']}</p>}
        after={filters.after}
        onNext={(after) => void navigate({ search: { ...filters, after } })}
      >
        {(rows) => (
          <>
            <thead>
              <tr>
                <th>Issue</th>
                <th className="w-issue-state">State</th>
                <th className="numeric w-120">Found</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((issue) => (
                <tr key={issue.id} className={issue.issue_value === null ? '' : 'tall'}>
                  <IssueName issue={issue} />
                  <td className="c-lead">
                    <IssueState issue={issue} />
                  </td>
                  <td className="numeric secondary c-time">
                    <RelativeTime time={issue.detected_at} />
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
