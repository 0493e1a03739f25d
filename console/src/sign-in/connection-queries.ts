import type { ReadinessFilter } from '@muster/contract/console-sign-in.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

const refetchInterval = 30_000

export const connectionsQuery = queryOptions({
  queryKey: ['connections', 'list'],
  refetchInterval,
  queryFn: ({ signal }) => api('listSignInConnections', { query: { per_page: 100 }, signal }),
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
