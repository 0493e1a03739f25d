import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

export const packagesQuery = queryOptions({
  queryKey: ['settings', 'packages'],
  queryFn: ({ signal }) => api('listPackages', { query: { per_page: 100 }, signal }),
})
