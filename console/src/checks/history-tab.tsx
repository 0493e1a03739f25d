import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { RecordEntries } from '../audit/record-entries.tsx'
import { checkFactsQuery } from './check-queries.ts'

const route = getRouteApi('/shell/checks/$checkId/history')

export function HistoryTab() {
  const { checkId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: facts } = useQuery(checkFactsQuery(checkId))
  return (
    <section className="in-tab" aria-label="History">
      <RecordEntries
        kind="check"
        id={checkId}
        name={facts?.name}
        after={after}
        onPage={(next) => void navigate({ search: { after: next } })}
      />
    </section>
  )
}
