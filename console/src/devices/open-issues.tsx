import type { IssueView } from '@muster/contract/console-issues.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { copyText } from '../components/copy-text.ts'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { useNow } from '../components/relative-time.tsx'
import { Scroller } from '../components/scroller.tsx'
import { dayOf, fullTime } from '../components/times.ts'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { IssueName } from '../issues/issue-name.tsx'
import { issueQuery } from '../issues/issue-queries.ts'
import { IssueState } from '../issues/issue-state.tsx'
import { isForOwner, ownerMessage } from '../issues/owner-message.ts'
import '../issues/issues.css'
import { openIssuesQuery } from './device-queries.ts'

export function OpenIssues({ deviceId }: { deviceId: string }) {
  const issues = useQuery(openIssuesQuery(deviceId))
  const rows = issues.data?.data ?? []
  return (
    <section aria-labelledby="open-issues">
      <div className="section-head">
        <h2 id="open-issues">Open issues</h2>
        {issues.data && <span className="small faint">{rows.length} open</span>}
        <span className="grow" />
        <CopyMessage issues={rows} />
      </div>
      {issues.isError && (
        <Failure what="Issues could not be loaded." error={issues.error} onRetry={() => void issues.refetch()} />
      )}
      {issues.isPending && <SkeletonRows rows={2} />}
      {issues.data && rows.length === 0 && <p className="secondary">No open issues.</p>}
      {rows.length > 0 && (
        <Scroller name="Open issues">
          <table className="table issue-table">
            <thead>
              <tr>
                <th>Issue</th>
                <th className="w-issue-check">Check</th>
                <th className="w-issue-state">State</th>
                <th className="numeric w-found">Found</th>
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

const maxInMessage = 10

/** What the owner reads about all of them at sign-in, to send by mail or chat. */
function CopyMessage({ issues }: { issues: readonly IssueView[] }) {
  const client = useQueryClient()
  const now = useNow()
  const shown = issues.filter((issue) => isForOwner(issue, now)).slice(0, maxInMessage)
  const copy = useAction({
    act: async () => {
      const facts = await Promise.all(shown.map(({ id }) => client.fetchQuery(issueQuery(id))))
      await copyText(ownerMessage(facts, now), 'The message')
    },
  })
  if (shown.length === 0) return null
  return (
    <button type="button" className="plain underlined small" disabled={copy.isPending} onClick={() => copy.mutate()}>
      Copy as message
    </button>
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
          className="ellipsis"
          title={visibleText(issue.check.name)}
        >
          {visibleText(issue.check.name)}
        </Link>
      </td>
      <td>
        <IssueState issue={issue} />
      </td>
      <td className="numeric secondary" title={fullTime(issue.detected_at)}>
        {dayOf(issue.detected_at, now)}
      </td>
    </tr>
  )
}
