import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../shell/page.tsx'
import { IssueList } from './issue-list.tsx'
import { readIssueFilters } from './issue-queries.ts'

const route = getRouteApi('/shell/issues')

export function IssuesPage() {
  const filters = readIssueFilters(route.useSearch())
  const navigate = route.useNavigate()
  return (
    <Page title="Issues">
      <IssueList filters={filters} onChange={(search, replace = false) => void navigate({ search, replace })} />
    </Page>
  )
}
