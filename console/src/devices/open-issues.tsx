import type { Issue } from '@muster/contract/issues.ts'
import { useQuery } from '@tanstack/react-query'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { RelativeTime, useNow } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { StandingShape } from '../components/state-shape.tsx'
import { dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
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
      {issues.data && rows.length === 0 && <p className="t2">No issue is open.</p>}
      {rows.length > 0 && (
        <Scroller name="Open issues">
          <table className="t issue-table">
            <thead>
              <tr>
                <th>Issue</th>
                <th className="w-found">Found</th>
                <th className="w-when">Blocks</th>
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

function IssueRow({ issue }: { issue: Issue }) {
  const now = useNow()
  const value = issue.issue_value === null ? undefined : visibleText(issue.issue_value)
  return (
    <tr className="tall">
      <td>
        <div className="m ell">{visibleText(issue.title)}</div>
        {value !== undefined && (
          <div className="ell" title={value}>
            <code className="t2">{value}</code>
          </div>
        )}
      </td>
      <td className="t2" title={fullTime(issue.detected_at)}>
        {dayOf(issue.detected_at, now)}
      </td>
      <td>
        <Blocks issue={issue} now={now} />
      </td>
    </tr>
  )
}

function Blocks({ issue, now }: { issue: Issue; now: number }) {
  if (issue.exempted) return <span className="t2">Exempted</span>
  const at = issue.blocks_device_at
  if (at === null) {
    return (
      <span className="state notified">
        <StandingShape standing="notified" />
        Never
      </span>
    )
  }
  const isBlocking = new Date(at).getTime() <= now
  return (
    <span className={isBlocking ? 'state blocked' : 'state will'}>
      <StandingShape standing={isBlocking ? 'blocked' : 'will_block'} />
      <RelativeTime time={at} />
    </span>
  )
}
