import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, countOf } from '../api/api.ts'
import { type DeviceFilters, filterOf, pageSizeOf } from './device-filters.ts'

const refetchInterval = 30_000

export const devicePageQuery = (filters: DeviceFilters) =>
  queryOptions({
    queryKey: ['devices', 'list', filterOf(filters), filters.sort, pageSizeOf(filters), filters.after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const { sort, after } = filters
      const query = { ...filterOf(filters), sort, per_page: pageSizeOf(filters), cursor: after }
      return api('listDeviceViews', { query, signal })
    },
  })

export const deviceCountQuery = (filters: DeviceFilters) =>
  queryOptions({
    queryKey: ['devices', 'count', filterOf(filters)],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => countOf('listDeviceViews', { query: filterOf(filters), signal }),
  })

export const summaryQuery = queryOptions({
  queryKey: ['devices', 'summary'],
  refetchInterval,
  queryFn: ({ signal }) => api('getConsoleSummary', { signal }),
})

export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getDevice', { params: { id }, signal }),
  })

/** What blocks first is the first. */
export const openIssuesQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'issues', id],
    refetchInterval,
    queryFn: ({ signal }) => api('listIssueViews', { query: { device: id, sort: 'blocks_at', per_page: 100 }, signal }),
  })

export const checkResultsQuery = (id: string) =>
  queryOptions({
    queryKey: ['devices', 'results', id],
    refetchInterval,
    queryFn: ({ signal }) =>
      api('listCheckResultsOfDevice', { params: { deviceId: id }, query: { per_page: 100 }, signal }),
  })
