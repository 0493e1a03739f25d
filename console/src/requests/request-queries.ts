import type { ExemptionRequestView, RegistrationRequestView, WaitingCounts } from '@muster/contract/console-issues.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, readAfter, readChoice } from '../components/read-filters.ts'
import type { ListOf } from '../devices/device-queries.ts'

export const statuses = { waiting: 'Waiting', approved: 'Approved', denied: 'Denied', withdrawn: 'Withdrawn' } as const
export type StatusName = keyof typeof statuses | 'all'

export type RequestFilters = { readonly status?: StatusName; readonly after?: string }

/** What waits needs no word in the address. */
export const readRequestFilters = (raw: Readonly<Record<string, unknown>>): RequestFilters => {
  const status = readChoice(raw, 'status', ['all', ...Object.keys(statuses)] as StatusName[])
  return given({ status: status === 'waiting' ? undefined : status, ...readAfter(raw) })
}

const listOf = <View>(kind: string, { status = 'waiting', after }: RequestFilters) =>
  queryOptions({
    queryKey: ['requests', kind, status, after],
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
    queryFn: ({ signal }) => {
      const query = { status: status === 'all' ? undefined : status, per_page: 25, cursor: after }
      return request<ListOf<View>>(withQuery(`/views/${kind}_requests`, query), { signal })
    },
  })

export const exemptionsQuery = (filters: RequestFilters) => listOf<ExemptionRequestView>('exemption', filters)
export const registrationsQuery = (filters: RequestFilters) => listOf<RegistrationRequestView>('registration', filters)

export const waitingQuery = queryOptions({
  queryKey: ['requests', 'waiting'],
  refetchInterval: 60_000,
  queryFn: ({ signal }) => request<WaitingCounts>('/views/waiting_requests', { signal }),
})
