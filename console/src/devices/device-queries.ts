import type { CheckResult } from '@muster/contract/check-results.ts'
import type { IssueView } from '@muster/contract/console-issues.ts'
import type { ConsoleSummary, DeviceView, DeviceViewCount } from '@muster/contract/console-views.ts'
import type { Device } from '@muster/contract/devices.ts'
import type { Pagination } from '@muster/contract/pagination.ts'
import type { Person } from '@muster/contract/people.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { type DeviceFilters, filterOf, pageSizeOf } from './device-filters.ts'

export type ListOf<Row> = { readonly data: readonly Row[]; readonly pagination: Pagination }

const refetchInterval = 30_000

export const devicePageQuery = (filters: DeviceFilters) =>
  queryOptions({
    queryKey: ['devices', 'list', filterOf(filters), filters.sort, pageSizeOf(filters), filters.after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const { sort, after } = filters
      const query = { ...filterOf(filters), sort, per_page: pageSizeOf(filters), cursor: after }
      return request<ListOf<DeviceView>>(withQuery('/views/devices', query), { signal })
    },
  })

export const deviceCountQuery = (filters: DeviceFilters) =>
  queryOptions({
    queryKey: ['devices', 'count', filterOf(filters)],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => request<DeviceViewCount>(withQuery('/views/device_count', filterOf(filters)), { signal }),
  })

export const summaryQuery = queryOptions({
  queryKey: ['devices', 'summary'],
  refetchInterval,
  queryFn: ({ signal }) => request<ConsoleSummary>('/views/summary', { signal }),
})

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<Device>(`/devices/${id}`, { signal }),
  })

export const ownerQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['people', 'one', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => request<Person>(`/people/${id}`, { signal }),
  })

/** What blocks first is the first. */
export const openIssuesQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'issues', id],
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<IssueView>>(withQuery('/views/issues', { device: id, sort: 'blocks_at', per_page: 100 }), {
        signal,
      }),
  })

export const checkResultsQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'results', id],
    refetchInterval,
    queryFn: ({ signal }) => request<ListOf<CheckResult>>(`/devices/${id}/check_results?per_page=100`, { signal }),
  })
