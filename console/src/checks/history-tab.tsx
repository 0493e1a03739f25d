import type { AuditLog } from '@muster/contract/audit-logs.ts'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { request, withQuery } from '../api/request.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { useNow } from '../components/relative-time.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import type { ListOf } from '../devices/device-queries.ts'
import { checkFactsQuery } from './check-queries.ts'

const route = getRouteApi('/shell/checks/$checkId/history')

/** Entries of the audit log that name the check in quotes, newest first. */
const historyQuery = (name: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'of-check', name, after],
    placeholderData: keepPreviousData,
    enabled: name !== '',
    queryFn: ({ signal }) => {
      const text = name.replace(/["\\]/g, ' ').trim()
      const query = { query: `description~"the check" AND description~"${text}"`, per_page: 50, cursor: after }
      return request<ListOf<AuditLog>>(withQuery('/audit_logs', query), { signal })
    },
  })

export function HistoryTab() {
  const { checkId } = route.useParams()
  const { after } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: facts } = useQuery(checkFactsQuery(checkId))
  const history = useQuery(historyQuery(facts?.name ?? '', after))
  const now = useNow()
  const named = `the check "${facts?.name ?? ''}"`
  const rows = (history.data?.data ?? []).filter(({ description }) => description.includes(named))
  return (
    <section className="prose-column" aria-label="History">
      {history.isError && (
        <Failure what="The history could not be loaded." error={history.error} onRetry={() => void history.refetch()} />
      )}
      {history.isPending && <SkeletonRows rows={4} />}
      {history.data && rows.length === 0 && (
        <Emptiness title="Nothing has been changed.">Changes of the configuration appear here.</Emptiness>
      )}
      <ol className="history">
        {rows.map((entry) => (
          <li key={entry.id}>
            <div>{visibleText(entry.description)}</div>
            <div className="sm t3">
              {visibleText(entry.actor_name)} ·{' '}
              <time dateTime={entry.timestamp} title={fullTime(entry.timestamp)}>
                {dayOf(entry.timestamp, now)} {clockTime(entry.timestamp)} UTC
              </time>
            </div>
          </li>
        ))}
      </ol>
      {history.data && (
        <CursorPaging
          current={after ?? ''}
          next={history.data.pagination.next_cursor}
          shown={rows.length}
          onNext={(next) => void navigate({ search: { after: next } })}
        />
      )}
    </section>
  )
}
