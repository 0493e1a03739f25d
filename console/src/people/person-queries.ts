import type { PersonViewFilter } from '@muster/contract/console-records.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, countOf } from '../api/api.ts'
import { given, readAfter, readChoice, readId, readText, sentenceOf } from '../components/read-filters.ts'

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
    queryFn: ({ signal }) => api('listPersonViews', { query: { ...filter, per_page, cursor: after }, signal }),
  })

export const personCountQuery = (filter: PersonViewFilter) =>
  queryOptions({
    queryKey: ['people', 'count', filter],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => countOf('listPersonViews', { query: filter, signal }),
  })

export const personGroupsQuery = (id: string) =>
  queryOptions({
    queryKey: ['people', 'groups', id],
    queryFn: ({ signal }) => api('listGroupsOfPerson', { params: { personId: id }, query: { per_page: 100 }, signal }),
  })

export const personIssuesQuery = (id: string) =>
  queryOptions({
    queryKey: ['people', 'issues', id],
    refetchInterval,
    queryFn: ({ signal }) =>
      api('listOpenIssuesOfPerson', { params: { personId: id }, query: { per_page: 100 }, signal }),
  })

export const personQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['people', 'one', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => api('getPerson', { params: { id: id ?? '' }, signal }),
  })
