import type { AuditView } from '@muster/contract/console-records.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { RecordEntries } from '../audit/record-entries.tsx'
import { checkFactsQuery } from './check-queries.ts'

const route = getRouteApi('/shell/checks/$checkId/history')

export function HistoryTab() {
  const { checkId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: facts } = useQuery(checkFactsQuery(checkId))
  const mayConfigure = useSession()?.permissions.includes('configure_checks') ?? false
  const revert = (row: AuditView, place: number) => {
    const isLatest = after === undefined && place === 0
    if (row.action !== 'check.configured' || isLatest) return null
    return (
      <Link
        to="/checks/$checkId/configuration"
        params={{ checkId }}
        search={{ revert: row.id }}
        className="underlined"
        aria-label={`Revert to this configuration of entry ${row.id}`}
      >
        Revert to this
      </Link>
    )
  }
  return (
    <section className="in-tab" aria-label="History">
      <RecordEntries
        kind="check"
        id={checkId}
        name={facts?.name}
        after={after}
        onPage={(next) => void navigate({ search: { after: next } })}
        {...(mayConfigure && { verb: revert })}
      />
    </section>
  )
}
