import { keepPreviousData } from '@tanstack/react-query'
import { countQuery, query } from '../api/query.ts'
import { type DeviceFilters, filterOf, pageSizeOf } from './device-filters.ts'

export function devicePageQuery(filters: DeviceFilters) {
  const { sort, after } = filters
  const asked = { ...filterOf(filters), sort, per_page: pageSizeOf(filters), cursor: after }
  return query('listDeviceViews', { query: asked }, { pace: 'usual' })
}

export const deviceCountQuery = (filters: DeviceFilters) =>
  countQuery('listDeviceViews', { query: filterOf(filters) }, { placeholderData: keepPreviousData, pace: 'usual' })

export const summaryQuery = query('getConsoleSummary', {}, { pace: 'usual' })

export const deviceQuery = (id: string) => query('getDevice', { params: { id } }, { pace: 'usual' })

export const companionQuery = (deviceId: string) =>
  query('getCompanionOfDevice', { params: { deviceId } }, { pace: 'usual' })

/** What blocks first is the first. */
export const openIssuesQuery = (id: string) =>
  query('listIssueViews', { query: { device: id, sort: 'blocks_at', per_page: 100 } }, { pace: 'usual' })

export const checkResultsQuery = (deviceId: string) =>
  query('listCheckResultsOfDevice', { params: { deviceId }, query: { per_page: 100 } }, { pace: 'usual' })
