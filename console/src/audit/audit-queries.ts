import type { AuditView, AuditViewFilter, RowCount } from '@muster/contract/console-records.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, readAfter, readChoice, readText, sentenceOf } from '../components/read-filters.ts'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 30_000

export const actorWords = { User: 'Administrator', ApiKey: 'API key', System: 'The service', Person: 'Person' } as const
export const sinceWords = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' } as const

/** What stands in the address of the log. */
export type AuditFilters = {
  readonly q?: string
  readonly actor?: keyof typeof actorWords
  readonly since?: keyof typeof sinceWords
  readonly after?: string
}

export const readAuditFilters = (raw: Readonly<Record<string, unknown>>): AuditFilters =>
  given({
    q: readText(raw, 'q'),
    actor: readChoice(raw, 'actor', ['User', 'ApiKey', 'System', 'Person'] as const),
    since: readChoice(raw, 'since', ['24h', '7d', '30d'] as const),
    ...readAfter(raw),
  })

export const auditFiltersInWords = ({ q, actor, since }: AuditFilters): string =>
  sentenceOf([
    q && `something holds “${q}”`,
    actor && `the actor is ${actorWords[actor]}`,
    since && `it was within ${sinceWords[since]}`,
  ])

export const auditFilterOf = ({ q, actor, since }: AuditFilters): AuditViewFilter =>
  given({ search: q, actor_type: actor, since }) as AuditViewFilter

export const auditViewsQuery = (filter: AuditViewFilter, after?: string, per_page = 50) =>
  queryOptions({
    queryKey: ['audit', 'list', filter, after, per_page],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<AuditView>>(withQuery('/views/audit_logs', { ...filter, per_page, cursor: after }), { signal }),
  })

export const auditCountQuery = (filter: AuditViewFilter) =>
  queryOptions({
    queryKey: ['audit', 'count', filter],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => request<RowCount>(withQuery('/views/audit_log_count', filter), { signal }),
  })

export const auditEntryQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'one', id],
    queryFn: ({ signal }) => request<AuditView>(`/views/audit_logs/${id}`, { signal }),
  })
