import type { ReportingQueryTimes } from '@muster/contract/console-queries.ts'
import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

export const reportsQuery = (after?: string) =>
  queryOptions({
    queryKey: ['reporting', 'queries', after],
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
    queryFn: ({ signal }) =>
      request<ListOf<ReportingQuery>>(
        withQuery('/reporting/queries', { omit_results: '1', per_page: 50, cursor: after }),
        {
          signal,
        },
      ),
  })

const hasNotRun = ({ results_updated_at: at, error_message: error }: ReportingQuery): boolean =>
  at === null && error === null

/** `isAwaited`: a run was asked for whose rows are not there yet. */
export const reportQuery = (id: string, isAwaited = false) =>
  queryOptions<ReportingQuery>({
    queryKey: ['reporting', 'query', id],
    refetchInterval: ({ state: { data } }) => (isAwaited || (data && hasNotRun(data)) ? 1_500 : 60_000),
    queryFn: ({ signal }) => request<ReportingQuery>(`/reporting/queries/${id}`, { signal }),
  })

export const reportTimesQuery = (id: string) =>
  queryOptions({
    queryKey: ['reporting', 'times', id],
    refetchInterval: 60_000,
    queryFn: ({ signal }) => request<ReportingQueryTimes>(`/views/reporting_queries/${id}/times`, { signal }),
  })
