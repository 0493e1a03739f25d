import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 15_000

export const streamsQuery = queryOptions({
  queryKey: ['streams', 'list'],
  refetchInterval,
  queryFn: ({ signal }) => request<ListOf<SsfStream>>('/ssf_streams?per_page=100', { signal }),
})

export const streamQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<SsfStream>(`/ssf_streams/${id}`, { signal }),
  })

export type EventFilters = {
  readonly state?: SsfStreamEvent['state']
  readonly kind?: SsfStreamEvent['kind']
  readonly after?: string
  /** The event that is open beside the list. */
  readonly event?: string
}

const searchOf = ({ state, kind }: EventFilters): string =>
  [state && `state:"${state}"`, kind && `kind:"${kind}"`].filter(Boolean).join(' AND ')

export const streamEventsQuery = (id: string, filters: EventFilters) =>
  queryOptions({
    queryKey: ['streams', 'events', id, searchOf(filters), filters.after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, query: searchOf(filters), cursor: filters.after }
      return request<ListOf<SsfStreamEvent>>(withQuery(`/ssf_streams/${id}/history`, query), { signal })
    },
  })

export const streamEventQuery = (id: string, eventId: string) =>
  queryOptions({
    queryKey: ['streams', 'event', id, eventId],
    refetchInterval,
    queryFn: ({ signal }) => request<SsfStreamEvent>(`/ssf_streams/${id}/history/${eventId}`, { signal }),
  })
