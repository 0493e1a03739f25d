import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

export const streamsQuery = queryOptions({
  queryKey: ['streams', 'list'],
  refetchInterval: 30_000,
  queryFn: ({ signal }) => request<ListOf<SsfStream>>('/ssf_streams?per_page=100', { signal }),
})
