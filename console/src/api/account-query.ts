import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => api('getAccount', { signal }),
})
