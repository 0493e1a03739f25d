import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { given, readAfter, readChoice } from '../components/read-filters.ts'

export const statuses = { waiting: 'Waiting', approved: 'Approved', denied: 'Denied', withdrawn: 'Withdrawn' } as const
export type StatusName = keyof typeof statuses | 'all'

export type RequestFilters = { readonly status?: StatusName; readonly after?: string }

/** What waits needs no word in the address. */
export const readRequestFilters = (raw: Readonly<Record<string, unknown>>): RequestFilters => {
  const status = readChoice(raw, 'status', ['all', ...Object.keys(statuses)] as StatusName[])
  return given({ status: status === 'waiting' ? undefined : status, ...readAfter(raw) })
}

const listing = { placeholderData: keepPreviousData, refetchInterval: 60_000 } as const

const queryOf = ({ status = 'waiting', after }: RequestFilters) => ({
  status: status === 'all' ? undefined : status,
  per_page: 25,
  cursor: after,
})

export const exemptionsQuery = (filters: RequestFilters) =>
  queryOptions({
    ...listing,
    queryKey: ['requests', 'exemption', queryOf(filters)],
    queryFn: ({ signal }) => api('listExemptionRequestViews', { query: queryOf(filters), signal }),
  })

export const exemptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one-exemption', id],
    queryFn: ({ signal }) => api('getExemptionRequestView', { params: { id }, signal }),
  })

export const registrationQuery = (id: string) =>
  queryOptions({
    queryKey: ['requests', 'one-registration', id],
    queryFn: ({ signal }) => api('getRegistrationRequestView', { params: { id }, signal }),
  })

export const registrationsQuery = (filters: RequestFilters) =>
  queryOptions({
    ...listing,
    queryKey: ['requests', 'registration', queryOf(filters)],
    queryFn: ({ signal }) => api('listRegistrationRequestViews', { query: queryOf(filters), signal }),
  })
