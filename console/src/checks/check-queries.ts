import type { DeviceGroup } from '@muster/contract/groups.ts'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { query, queryKeyOf } from '../api/query.ts'
import type { CheckFilters } from './check-filters.ts'

export const checksQuery = ({ q, after, ...filters }: CheckFilters) =>
  query('listCheckViews', { query: { ...filters, search: q, per_page: 100, cursor: after } }, { pace: 'slow' })

export const checkFactsQuery = (checkId: string) =>
  query(
    'getCheckFacts',
    { params: { checkId } },
    { refetchInterval: ({ state }) => (state.data?.recomputing ? 2_000 : 60_000) },
  )

export const blockHoldsQuery = query('listBlockHolds', {}, { pace: 'usual' })

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

const maxPages = 5

/** Groups of devices, by identifier. */
export const deviceGroupsQuery = queryOptions({
  queryKey: [...queryKeyOf('listDeviceGroups', {}), 'all'],
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
