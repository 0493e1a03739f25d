import type { IssueView } from '@muster/contract/console-issues.ts'
import type { IssueSort } from '@muster/contract/console-values.ts'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../components/relative-time.tsx'
import { SortHead } from '../components/sort-head.tsx'
import { visibleText } from '../components/visible-text.ts'
import { IssueState } from './issue-state.tsx'

type Parts = {
  readonly rows: readonly IssueView[]
  readonly withCheck: boolean
  readonly sorts: readonly IssueSort[]
  readonly sort: IssueSort | undefined
  readonly onSort: (sort: IssueSort | undefined) => void
}

/** Head and body, for a ListBody. */
export const IssueTable = ({ rows, withCheck, sorts, sort, onSort }: Parts) => (
  <>
    <thead>
      <tr>
        <th>Issue</th>
        {sorts.includes('blocks_at') ? (
          <SortHead ascending="blocks_at" sort={sort} onSort={onSort} className="w-issue-state">
            State
          </SortHead>
        ) : (
          <th className="w-issue-state">State</th>
        )}
        <th className="w-issue-device">Device</th>
        <th className="w-issue-owner">Owner</th>
        <SortHead
          ascending="detected_at"
          descending="usual"
          isDescendingFirst
          sort={sort}
          onSort={onSort}
          className="num w-issue-found"
        >
          Found
        </SortHead>
      </tr>
    </thead>
    <tbody>
      {rows.map((issue) => (
        <IssueRow key={issue.id} issue={issue} withCheck={withCheck} />
      ))}
    </tbody>
  </>
)

function IssueRow({ issue, withCheck }: { issue: IssueView; withCheck: boolean }) {
  const title = visibleText(issue.title)
  const value = issue.issue_value === null ? undefined : visibleText(issue.issue_value)
  const below = value ?? (withCheck ? visibleText(issue.check.name) : undefined)
  const [device, owner] = [visibleText(issue.device.name), issue.owner && visibleText(issue.owner.name)]
  return (
    <tr className="tall">
      <td className="c-name">
        <Link to="/issues/$issueId" params={{ issueId: issue.id }} className="m ell" title={title} data-row-link>
          {title}
        </Link>
        {below !== undefined && (
          <div className="second ell" title={below}>
            {value === undefined ? below : <code>{below}</code>}
          </div>
        )}
      </td>
      <td className="c-lead">
        <IssueState issue={issue} />
      </td>
      <td className="c-sub">
        <Link to="/devices/$deviceId" params={{ deviceId: issue.device.id }} className="ell" title={device}>
          {device}
        </Link>
      </td>
      <td className={owner === null ? 'c-more t3' : 'c-more'} title={owner ?? undefined}>
        {owner ?? 'Not registered'}
      </td>
      <td className="num t2 c-time">
        <RelativeTime time={issue.detected_at} />
      </td>
    </tr>
  )
}
