import type { ReadinessFilter } from '@muster/contract/console-sign-in.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

const refetchInterval = 30_000

export const connectionsQuery = queryOptions({
  queryKey: ['connections', 'list'],
  refetchInterval,
  queryFn: ({ signal }) => api('listSignInConnections', { query: { per_page: 100 }, signal }),
})

/** An organization has 50 at most. */
export const upstreamsQuery = queryOptions({
  queryKey: ['connections', 'upstreams'],
  queryFn: async ({ signal }) => (await api('listSignInUpstreams', { query: { per_page: 100 }, signal })).data,
})

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getSignInConnection', { params: { id }, signal }),
  })

export const readinessQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', 'readiness', id],
    staleTime: 0,
    queryFn: ({ signal }) => api('getSignInReadiness', { params: { id }, signal }),
  })

export const refusedPeopleQuery = (id: string, reason: ReadinessFilter['reason'], cursor: string) =>
  queryOptions({
    queryKey: ['connections', 'refused', id, reason, cursor],
    placeholderData: keepPreviousData,
    staleTime: 0,
    queryFn: ({ signal }) =>
      api('listRefusedPeople', { params: { id }, query: { per_page: 10, ...(reason && { reason }), cursor }, signal }),
  })

export const signInKeysQuery = queryOptions({
  queryKey: ['connections', 'keys'],
  refetchInterval,
  queryFn: ({ signal }) => api('listSignInKeys', { signal }),
})
