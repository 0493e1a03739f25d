import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

export const waitingQuery = queryOptions({
  queryKey: ['requests', 'waiting'],
  refetchInterval: 60_000,
  queryFn: ({ signal }) => api('countWaitingRequests', { signal }),
})
