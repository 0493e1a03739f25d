import { getRouteApi } from '@tanstack/react-router'
import { IssueList } from './issue-list.tsx'
import { readIssueFilters } from './issue-queries.ts'

const route = getRouteApi('/shell/checks/$checkId/issues')

export function IssuesTab() {
  const { checkId } = route.useParams()
  const filters = readIssueFilters(route.useSearch())
  const navigate = route.useNavigate()
  return (
    <section aria-label="Issues">
      <IssueList
        checkId={checkId}
        filters={filters}
        onChange={(search, replace = false) => void navigate({ search, replace })}
      />
    </section>
  )
}
