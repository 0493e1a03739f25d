import type { DeviceGroupUses, PersonGroupView } from '@muster/contract/console-groups.ts'
import type { DeviceView } from '@muster/contract/console-views.ts'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, readAfter, readText } from '../components/read-filters.ts'
import type { ListOf } from '../devices/device-queries.ts'

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
      request<ListOf<DeviceGroup>>(
        withQuery('/device_groups', { query: groupSearch(q), per_page: 50, cursor: after }),
        {
          signal,
        },
      ),
  })

export const deviceGroupQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'devices', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<DeviceGroup>(`/device_groups/${id}`, { signal }),
  })

export const deviceGroupUsesQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'devices', 'uses', id],
    staleTime: 0,
    queryFn: ({ signal }) => request<DeviceGroupUses>(`/views/device_groups/${id}/uses`, { signal }),
  })

export const personGroupViewsQuery = ({ q, after }: GroupFilters) =>
  queryOptions({
    queryKey: ['groups', 'people', 'list', q, after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<PersonGroupView>>(withQuery('/views/person_groups', { search: q, per_page: 50, cursor: after }), {
        signal,
      }),
  })

export const personGroupQuery = (id: string) =>
  queryOptions({
    queryKey: ['groups', 'people', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<PersonGroupView>(`/views/person_groups/${id}`, { signal }),
  })

type DeviceSearch = { readonly group_id?: string; readonly search?: string }

export const devicesFoundQuery = (filter: DeviceSearch, after?: string, per_page = 50) =>
  queryOptions({
    queryKey: ['devices', 'found', filter, after, per_page],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<DeviceView>>(withQuery('/views/devices', { ...filter, per_page, cursor: after }), { signal }),
  })
