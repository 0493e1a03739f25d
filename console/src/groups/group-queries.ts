import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { given, readAfter, readText } from '../components/read-filters.ts'

const refetchInterval = 60_000

/** What stands in the address of a list of groups, or of the members of one. */
export type GroupFilters = { readonly q?: string; readonly after?: string }

export const readGroupFilters = (raw: Readonly<Record<string, unknown>>): GroupFilters =>
  given({ q: readText(raw, 'q'), ...readAfter(raw) })

/** As a search of the API, in which a quotation mark cannot be searched for. */
export const groupSearch = (q = ''): string => {
  const text = q.replace(/["\\]/g, ' ').trim()
  return text === '' ? '' : `name~"${text}" OR description~"${text}"`
}

export const deviceGroupsQuery = ({ q, after }: GroupFilters) =>
  queryOptions({
    queryKey: ['groups', 'devices', 'list', q, after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      api('listDeviceGroups', { query: { query: groupSearch(q), per_page: 50, cursor: after }, signal }),
  })

export const deviceGroupQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'devices', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getDeviceGroup', { params: { id }, signal }),
  })

export const deviceGroupUsesQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'devices', 'uses', id],
    staleTime: 0,
    queryFn: ({ signal }) => api('getDeviceGroupUses', { params: { groupId: id }, signal }),
  })

export const personGroupViewsQuery = ({ q, after }: GroupFilters) =>
  queryOptions({
    queryKey: ['groups', 'people', 'list', q, after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => api('listPersonGroupViews', { query: { search: q, per_page: 50, cursor: after }, signal }),
  })

export const personGroupQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'people', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getPersonGroupView', { params: { id }, signal }),
  })

type DeviceSearch = { readonly group_id?: string; readonly search?: string }

export const devicesFoundQuery = (filter: DeviceSearch, after?: string, per_page = 50) =>
  queryOptions({
    queryKey: ['devices', 'found', filter, after, per_page],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => api('listDeviceViews', { query: { ...filter, per_page, cursor: after }, signal }),
  })
