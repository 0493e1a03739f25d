import type { LiveAnswerView, LiveQueryView } from '@muster/contract/console-queries.ts'
import type { LiveQueryCampaign } from '@muster/contract/live-queries.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import { given, readAfter, readText } from '../components/read-filters.ts'
import type { ListOf } from '../devices/device-queries.ts'

export type LiveQueryFilters = { readonly q?: string; readonly after?: string }

export const readLiveQueryFilters = (raw: Readonly<Record<string, unknown>>): LiveQueryFilters =>
  given({ q: readText(raw, 'q'), ...readAfter(raw) })

export const liveQueriesQuery = ({ q, after }: LiveQueryFilters) =>
  queryOptions({
    queryKey: ['live-queries', 'list', q, after],
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
    queryFn: ({ signal }) =>
      request<ListOf<LiveQueryView>>(withQuery('/views/live_queries', { search: q, per_page: 50, cursor: after }), {
        signal,
      }),
  })

/** Often while devices are waited for. */
export const liveQueryQuery = (id: string) =>
  queryOptions<LiveQueryCampaign>({
    queryKey: ['live-queries', 'one', id],
    refetchInterval: ({ state }) => ((state.data?.waiting_devices_count ?? 1) > 0 ? 2_000 : 60_000),
    queryFn: ({ signal }) => request<LiveQueryCampaign>(`/live_query_campaigns/${id}`, { signal }),
  })

export type AnswerKind = 'rows' | 'errors'

/** In the order in which they came, so that new ones only follow those that are shown. */
export const answersQuery = (id: string, kind: AnswerKind, answered: number) =>
  infiniteQueryOptions({
    queryKey: ['live-queries', 'answers', id, kind, answered],
    placeholderData: keepPreviousData,
    initialPageParam: '',
    getNextPageParam: (page: ListOf<LiveAnswerView>) => page.pagination.next_cursor || undefined,
    queryFn: ({ signal, pageParam }) =>
      request<ListOf<LiveAnswerView>>(
        withQuery(`/views/live_queries/${id}/answers`, { kind, per_page: 100, cursor: pageParam }),
        { signal },
      ),
  })
