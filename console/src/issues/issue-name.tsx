import type { Issue } from '@muster/contract/issues.ts'
import { Link } from '@tanstack/react-router'
import { visibleText } from '../components/visible-text.ts'

/** The cell of an issue's title, and of the value that tells it from others of its check. */
export function IssueName({ issue }: { issue: Pick<Issue, 'id' | 'title' | 'issue_value'> }) {
  const title = visibleText(issue.title)
  const value = issue.issue_value === null ? undefined : visibleText(issue.issue_value)
  return (
    <td className="c-name">
      <Link
        to="/issues/$issueId"
        params={{ issueId: issue.id }}
        className="medium ellipsis"
        title={title}
        data-row-link
      >
        {title}
      </Link>
      {value !== undefined && (
        <code className="second ellipsis" title={value}>
          {value}
        </code>
      )}
    </td>
  )
}
