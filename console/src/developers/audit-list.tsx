import type { AuditLog } from '@muster/contract/audit-logs.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { CursorPaging } from '../components/cursor-paging.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { clockTime, dayOf, fullTime } from '../components/times.ts'
import { visibleText } from '../components/visible-text.ts'
import type { ListOf } from '../devices/device-queries.ts'

const auditQuery = (words: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'about', words, after],
    queryFn: ({ signal }) => {
      const quoted = words.replace(/[\\"]/g, '\\$&')
      const query = { per_page: 50, query: `description~"${quoted}"`, cursor: after }
      return request<ListOf<AuditLog>>(withQuery('/audit_logs', query), { signal })
    },
  })

type Parts = {
  /** What entries have to say to be shown. */
  readonly words: string
  readonly after: string | undefined
  readonly onPage: (after: string) => void
}

/** Entries of the audit log that name a record, newest first, as they are stored. */
export function AuditList({ words, after, onPage }: Parts) {
  const entries = useQuery(auditQuery(words, after))
  const rows = entries.data?.data ?? []
  return (
    <div className="audit-list">
      {entries.isError && (
        <Failure
          what="The audit log could not be loaded."
          error={entries.error}
          onRetry={() => void entries.refetch()}
        />
      )}
      {entries.isPending && <SkeletonRows rows={6} />}
      {entries.data && rows.length === 0 && (
        <Emptiness title="Nothing yet.">What administrators and programs change of it is written down here.</Emptiness>
      )}
      <ul className="lines">
        {rows.map((entry) => (
          <li className="line" key={entry.id}>
            <span className="audit-time tn t2" title={fullTime(entry.timestamp)}>
              {dayOf(entry.timestamp, Date.now())} {clockTime(entry.timestamp)}
            </span>
            <span className="grow breaks">
              {visibleText(entry.description)}
              <span className="sm t2 block">{visibleText(entry.actor_name)}</span>
            </span>
          </li>
        ))}
      </ul>
      {entries.data && (
        <CursorPaging
          current={after ?? ''}
          next={entries.data.pagination.next_cursor}
          shown={rows.length}
          onNext={onPage}
        />
      )}
    </div>
  )
}
