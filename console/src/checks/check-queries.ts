import type { CheckFacts } from '@muster/contract/console-checks.ts'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import type { CheckFilters } from './check-filters.ts'

const refetchInterval = 60_000

export const checksQuery = ({ q, after, ...filters }: CheckFilters) =>
  queryOptions({
    queryKey: ['checks', 'list', q, after, filters],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const query = { ...filters, search: q, per_page: 100, cursor: after }
      return api('listCheckViews', { query, signal })
    },
  })

export const checkFactsQuery = (id: string) =>
  queryOptions<CheckFacts>({
    queryKey: ['checks', 'facts', id],
    refetchInterval: ({ state }) => (state.data?.recomputing ? 2_000 : refetchInterval),
    queryFn: ({ signal }) => api('getCheckFacts', { params: { checkId: id }, signal }),
  })

export const configurationQuery = (id: string) =>
  queryOptions({
    queryKey: ['checks', 'configuration', id],
    queryFn: ({ signal }) => api('getCheckConfiguration', { params: { checkId: id }, signal }),
  })

export const configurationAtQuery = (checkId: string, entryId: string | undefined) =>
  queryOptions({
    queryKey: ['checks', 'configuration', checkId, 'at', entryId],
    enabled: entryId !== undefined,
    staleTime: 0,
    queryFn: ({ signal }) => api('getCheckConfigurationAt', { params: { checkId, entryId: entryId ?? '' }, signal }),
  })

export type ResultFilters = { readonly status?: string; readonly q?: string; readonly after?: string }

/** What a quotation mark or backslash stands in cannot be searched for. */
const searchable = (text: string): string => text.replace(/["\\]/g, ' ').trim()

/** The filters as a search of the API, which has no parentheses: AND binds tighter than OR. */
export function resultSearch({ status, q = '' }: { status?: string | undefined; q?: string | undefined }): string {
  const text = searchable(q)
  const named = text === '' ? [] : [`device_display_name~"${text}"`]
  const statuses = status?.split(',').map((one) => [`status:"${one}"`, ...named].join(' AND ')) ?? named
  return statuses.join(' OR ')
}

export const resultsQuery = (id: string, { status, q = '', after }: ResultFilters) =>
  queryOptions({
    queryKey: ['checks', 'results', id, status, q, after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const query = { query: resultSearch({ status, q }), per_page: 50, cursor: after }
      return api('listCheckResultsOfCheck', { params: { checkId: id }, query, signal })
    },
  })

const maxPages = 5

/** Groups of devices, by identifier. */
export const deviceGroupsQuery = queryOptions({
  queryKey: ['groups', 'of-checks'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const groups: DeviceGroup[] = []
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page += 1) {
      const query = { per_page: 100, cursor }
      const { data, pagination } = await api('listDeviceGroups', { query, signal })
      groups.push(...data)
      cursor = pagination.next_cursor
      if (cursor === '') break
    }
    return groups
  },
})
