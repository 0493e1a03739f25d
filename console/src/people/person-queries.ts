import type { PersonView, PersonViewFilter, RowCount } from '@muster/contract/console-records.ts'
import type { PersonGroup } from '@muster/contract/groups.ts'
import type { Issue } from '@muster/contract/issues.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 60_000

export const deviceChoices = { some: 'Has a device', blocked: 'Has a blocked device', none: 'Has no device' } as const

/** What stands in the address of the list. */
export type PersonFilters = {
  readonly q?: string
  readonly devices?: keyof typeof deviceChoices
  readonly group?: string
  readonly after?: string
}

export const readPersonFilters = (raw: Readonly<Record<string, unknown>>): PersonFilters =>
  given({
    q: readText(raw, 'q'),
    devices: readChoice(raw, 'devices', ['some', 'blocked', 'none'] as const),
    group: readId(raw, 'group'),
    ...readAfter(raw),
  })

export const personFiltersInWords = ({ q, devices, group }: PersonFilters): string =>
  sentenceOf([
    q && `name or e-mail contains “${q}”`,
    devices && { some: 'has a device', blocked: 'has a blocked device', none: 'has no device' }[devices],
    group && `is in group ${group}`,
  ])

export const personFilterOf = (filters: PersonFilters, status: 'active' | 'deprovisioned'): PersonViewFilter =>
  given({ status, search: filters.q, devices: filters.devices, group_id: filters.group }) as PersonViewFilter

export const personViewsQuery = (filter: PersonViewFilter, after?: string, per_page = 50) =>
  queryOptions({
    queryKey: ['people', 'list', filter, after, per_page],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<PersonView>>(withQuery('/views/people', { ...filter, per_page, cursor: after }), { signal }),
  })

export const personCountQuery = (filter: PersonViewFilter) =>
  queryOptions({
    queryKey: ['people', 'count', filter],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => request<RowCount>(withQuery('/views/people_count', filter), { signal }),
  })

export const personGroupsQuery = (id: string) =>
  queryOptions({
    queryKey: ['people', 'groups', id],
    queryFn: ({ signal }) => request<ListOf<PersonGroup>>(`/people/${id}/person_groups?per_page=100`, { signal }),
  })

export const personIssuesQuery = (id: string) =>
  queryOptions({
    queryKey: ['people', 'issues', id],
    refetchInterval,
    queryFn: ({ signal }) => request<ListOf<Issue>>(`/people/${id}/open_issues?per_page=100`, { signal }),
  })
