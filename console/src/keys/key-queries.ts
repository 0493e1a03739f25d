import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'

const refetchInterval = 30_000

export const keysQuery = (after: string | undefined, review?: 'true' | undefined) =>
  queryOptions({
    queryKey: ['keys', 'list', after, review],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: async ({ signal }) => {
      const page = await api('listApiKeys', { query: { after_id: after, to_review: review }, signal })
      return { ...page, pagination: { next_cursor: page.next_after_id ?? '' } }
    },
  })

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getApiKey', { params: { id }, signal }),
  })
