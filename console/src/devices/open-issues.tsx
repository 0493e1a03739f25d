import type { IssueView } from '@muster/contract/console-issues.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { useNow } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import { IssueName } from '../issues/issue-name.tsx'
import { IssueState } from '../issues/issue-state.tsx'
import '../issues/issues.css'
import { openIssuesQuery } from './device-queries.ts'

export function OpenIssues({ deviceId }: { deviceId: string }) {
  const issues = useQuery(openIssuesQuery(deviceId))
  const rows = issues.data?.data ?? []
  return (
    <section aria-labelledby="open-issues">
      <div className="sech">
        <h2 id="open-issues">Open issues</h2>
        {issues.data && <span className="sm t3">{rows.length} open</span>}
      </div>
      {issues.isError && (
        <Failure what="Issues could not be loaded." error={issues.error} onRetry={() => void issues.refetch()} />
      )}
      {issues.isPending && <SkeletonRows rows={2} />}
      {issues.data && rows.length === 0 && <p className="t2">No open issues.</p>}
      {rows.length > 0 && (
        <Scroller name="Open issues">
          <table className="t issue-table">
            <thead>
              <tr>
                <th>Issue</th>
                <th className="w-issue-check">Check</th>
                <th className="w-issue-state">State</th>
                <th className="num w-found">Found</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((issue) => (
                <IssueRow key={issue.id} issue={issue} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}

function IssueRow({ issue }: { issue: IssueView }) {
  const now = useNow()
  return (
    <tr className="tall">
      <IssueName issue={issue} />
      <td className="c-issue-check">
        <Link
          to="/checks/$checkId"
          params={{ checkId: issue.check.id }}
          className="ell"
          title={visibleText(issue.check.name)}
        >
          {visibleText(issue.check.name)}
        </Link>
      </td>
      <td>
        <IssueState issue={issue} />
      </td>
      <td className="num t2" title={fullTime(issue.detected_at)}>
        {dayOf(issue.detected_at, now)}
      </td>
    </tr>
  )
}
