import type { SsfStreamEvent } from '@muster/contract/ssf-events.ts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import type { SentRange } from '../developers/range-dialog.tsx'

const refetchInterval = 15_000
/** Of what someone watches happen; nothing is asked while the tab is hidden. */
const liveInterval = 5_000

export const streamsQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['streams', 'list', after],
    placeholderData: keepPreviousData,
    refetchInterval,
    queryFn: ({ signal }) => api('listSsfStreams', { query: { per_page: 50, cursor: after }, signal }),
  })

export const streamQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'one', id],
    refetchInterval,
    queryFn: ({ signal }) => api('getSsfStream', { params: { streamId: id }, signal }),
  })

export const streamViewQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'view', id],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => api('getStreamView', { params: { streamId: id }, signal }),
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
      return api('listStreamEventViews', { params: { streamId: id }, query, signal })
    },
  })

export const streamEventQuery = (id: string, eventId: string) =>
  queryOptions({
    queryKey: ['streams', 'event', id, eventId],
    refetchInterval: liveInterval,
    queryFn: ({ signal }) => api('getSsfStreamEvent', { params: { streamId: id, eventId }, signal }),
  })

export type ReplayRange = SentRange<'acknowledged' | 'delivered' | 'expired' | 'rejected'>

export const replayCountQuery = (id: string, range: ReplayRange) =>
  queryOptions({
    queryKey: ['streams', 'replay-count', id, range],
    queryFn: ({ signal }) => api('countStreamReplay', { params: { streamId: id }, query: range, signal }),
  })

/** What the receiver verifies tokens with, and every key that they may be signed with. */
export const streamIssuerQuery = (id: string) =>
  queryOptions({
    queryKey: ['streams', 'issuer', id],
    staleTime: 60_000,
    queryFn: ({ signal }) => api('getSsfStreamIssuer', { params: { streamId: id }, signal }),
  })
