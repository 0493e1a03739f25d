import type { IssueView } from '@muster/contract/console-issues.ts'
import type { IssueSort } from '@muster/contract/console-values.ts'
import { Link } from '@tanstack/react-router'
import { type Column, Records } from '../components/records.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { visibleText } from '../components/visible-text.ts'
import { IssueState } from './issue-state.tsx'

type Parts = {
  readonly rows: readonly IssueView[]
  readonly withCheck: boolean
  readonly sorts: readonly IssueSort[]
  readonly sort: IssueSort | undefined
  readonly onSort: (sort: IssueSort | undefined) => void
}

/** Head and body, for a list. */
export const IssueTable = ({ rows, withCheck, sorts, sort, onSort }: Parts) => (
  <Records isTall rows={rows} columns={columnsOf(withCheck, sorts)} order={{ sort, onSort }} />
)

const columnsOf = (withCheck: boolean, sorts: readonly IssueSort[]): readonly Column<IssueView, IssueSort>[] => [
  { text: 'Issue', className: 'c-name', cell: (issue) => <Title issue={issue} withCheck={withCheck} /> },
  {
    text: 'State',
    head: 'w-issue-state',
    className: 'c-lead',
    ...(sorts.includes('blocks_at') && { order: { ascending: 'blocks_at' } as const }),
    cell: (issue) => <IssueState issue={issue} />,
  },
  {
    text: 'Device',
    head: 'w-issue-device',
    className: 'c-sub',
    cell: ({ device }) => (
      <Link
        to="/devices/$deviceId"
        params={{ deviceId: device.id }}
        className="ellipsis"
        title={visibleText(device.name)}
      >
        {visibleText(device.name)}
      </Link>
    ),
  },
  {
    text: 'Owner',
    head: 'w-issue-owner',
    className: 'c-more',
    title: ({ owner }) => owner && visibleText(owner.name),
    cell: ({ owner }) => (owner ? visibleText(owner.name) : <span className="faint">Not registered</span>),
  },
  {
    text: 'Found',
    head: 'numeric w-issue-found',
    className: 'numeric secondary c-time',
    order: { ascending: 'detected_at', descending: 'usual', isDescendingFirst: true },
    cell: ({ detected_at: at }) => <RelativeTime time={at} />,
  },
]

function Title({ issue, withCheck }: { issue: IssueView; withCheck: boolean }) {
  const title = visibleText(issue.title)
  const value = issue.issue_value === null ? undefined : visibleText(issue.issue_value)
  const below = value ?? (withCheck ? visibleText(issue.check.name) : undefined)
  return (
    <>
      <Link
        to="/issues/$issueId"
        params={{ issueId: issue.id }}
        className="medium ellipsis"
        title={title}
        data-row-link
      >
        {title}
      </Link>
      {below !== undefined && (
        <div className="second ellipsis" title={below}>
          {value === undefined ? below : <code>{below}</code>}
        </div>
      )}
    </>
  )
}
