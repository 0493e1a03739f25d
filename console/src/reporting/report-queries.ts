import type { ReportingQuery } from '@muster/contract/reporting-queries.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

export const reportsQuery = (after?: string) =>
  queryOptions({
    queryKey: ['reporting', 'queries', after],
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
    queryFn: ({ signal }) =>
      api('listReportingQueries', { query: { omit_results: '1', per_page: 50, cursor: after }, signal }),
  })

const hasNotRun = ({ results_updated_at: at, error_message: error }: ReportingQuery): boolean =>
  at === null && error === null

/** `isAwaited`: a run was asked for whose rows are not there yet. */
export const reportQuery = (id: string, isAwaited = false) =>
  queryOptions<ReportingQuery>({
    queryKey: ['reporting', 'query', id],
    refetchInterval: ({ state: { data } }) => (isAwaited || (data && hasNotRun(data)) ? 1_500 : 60_000),
    queryFn: ({ signal }) => api('getReportingQuery', { params: { id }, signal }),
  })

export const reportTimesQuery = (id: string) =>
  queryOptions({
    queryKey: ['reporting', 'times', id],
    refetchInterval: 60_000,
    queryFn: ({ signal }) => api('getReportingQueryTimes', { params: { queryId: id }, signal }),
  })
