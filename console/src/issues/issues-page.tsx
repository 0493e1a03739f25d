import { getRouteApi } from '@tanstack/react-router'
import { countOf, csvAddressOf } from '../api/api.ts'
import { ExportCsv } from '../components/export-csv.tsx'
import { Page } from '../components/page.tsx'
import { IssueList } from './issue-list.tsx'
import { issueFilterOf, issueFiltersInWords, readIssueFilters } from './issue-queries.ts'

const route = getRouteApi('/shell/issues')

export function IssuesPage() {
  const filters = readIssueFilters(route.useSearch())
  const navigate = route.useNavigate()
  return (
    <Page
      title="Issues"
      actions={
        <ExportCsv
          file={csvAddressOf('listIssueViews', { query: issueFilterOf(filters) })}
          count={() => countOf('listIssueViews', { query: issueFilterOf(filters) })}
          filterInWords={issueFiltersInWords({ state: 'open', ...filters })}
          one="issue"
          many="issues"
        />
      }
    >
      <IssueList filters={filters} onChange={(search, replace = false) => void navigate({ search, replace })} />
    </Page>
  )
}
