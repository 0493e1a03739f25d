import type { RangeCount, StreamEventView, StreamView } from '@muster/contract/console-developers.ts'
import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import type { SsfStreamIssuer } from '@muster/contract/ssf-issuers.ts'
import type { SsfStream } from '@muster/contract/ssf-streams.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request, withQuery } from '../api/request.ts'
import type { ListOf } from '../devices/device-queries.ts'

const refetchInterval = 15_000
/** Of what someone watches happen; nothing is asked while the tab is hidden. */
const liveInterval = 5_000

export const streamsQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['streams', 'list', after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) =>
      request<ListOf<SsfStream>>(withQuery('/ssf_streams', { per_page: 50, cursor: after }), { signal }),
  })

export const streamQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => request<SsfStream>(`/ssf_streams/${id}`, { signal }),
  })

export const streamViewQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'view', id],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => request<StreamView>(`/views/streams/${id}`, { signal }),
  })

export type EventFilters = {
  readonly state?: SsfStreamEvent['state']
  readonly kind?: SsfStreamEvent['kind']
  readonly q?: string
  /** Only what has this cause, which was queued at `around`. */
  readonly txn?: string
  readonly around?: string
  readonly after?: string
  /** The event that is open beside the list. */
  readonly event?: string
}

export const streamEventsQuery = (id: string, { state, kind, q, txn, around, after }: EventFilters) =>
  queryOptions({
    queryKey: ['streams', 'events', id, { state, kind, q, txn, around, after }],
    placeholderData: keepPreviousData,
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => {
      const query = { per_page: 50, state, kind, search: q, txn, around, cursor: after }
      return request<ListOf<StreamEventView>>(withQuery(`/views/streams/${id}/events`, query), { signal })
    },
  })

export const streamEventQuery = (id: string, eventId: string) =>
  queryOptions({
    queryKey: ['streams', 'event', id, eventId],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => request<SsfStreamEvent>(`/ssf_streams/${id}/history/${eventId}`, { signal }),
  })

export type Range = { readonly from: string; readonly to: string; readonly state?: string }

export const replayCountQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: ['streams', 'replay-count', id, range],
    queryFn: ({ signal }) => request<RangeCount>(withQuery(`/views/streams/${id}/replay_count`, range), { signal }),
  })

/** What the receiver verifies tokens with, and every key that they may be signed with. */
export const streamIssuerQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'issuer', id],
    staleTime: 60_000,
    queryFn: ({ signal }) => request<SsfStreamIssuer>(`/ssf_streams/${id}/issuer`, { signal }),
  })
