import type { ConsoleApiKey, ConsoleApiKeys } from '@muster/contract/console.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'

const refetchInterval = 30_000

export const keysQuery = (after: string | undefined, review?: 'true' | undefined) =>
  queryOptions({
    queryKey: ['keys', 'list', after, review],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ConsoleApiKeys>(withQuery('/session/api_keys', { after_id: after, to_review: review }), { signal }),
  })

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<ConsoleApiKey>(`/session/api_keys/${id}`, { signal }),
  })
